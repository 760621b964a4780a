; Whatever is in the briefcase moves with it: conditional effects over all things.
(define (domain briefcase)
  (:requirements :adl)
  (:types place thing)
  (:predicates
    (case-at ?p - place)
    (at ?t - thing ?p - place)
    (packed ?t - thing)
    (fragile ?t - thing))

  (:action pack
    :parameters (?t - thing ?p - place)
    :precondition (and (case-at ?p) (at ?t ?p) (not (packed ?t))
                       (imply (fragile ?t) (not (exists (?o - thing) (packed ?o)))))
    :effect (packed ?t))

  (:action unpack
    :parameters (?t - thing)
    :precondition (packed ?t)
    :effect (not (packed ?t)))

  (:action carry
    :parameters (?from ?to - place)
    :precondition (and (case-at ?from) (not (= ?from ?to)))
    :effect (and (case-at ?to) (not (case-at ?from))
                 (forall (?t - thing)
                   (when (packed ?t)
                     (and (at ?t ?to) (not (at ?t ?from))))))))

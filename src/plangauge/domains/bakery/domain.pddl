; Cakes are mixed by bakers and baked in hot ovens; they must be sold before the shop closes.
(define (domain bakery)
  (:requirements :typing :durative-actions :numeric-fluents :timed-initial-literals)
  (:types cake oven baker)
  (:predicates
    (ordered ?c - cake) (mixed ?c - cake) (baked ?c - cake) (sold ?c - cake)
    (free ?b - baker)
    (cold ?o - oven) (hot ?o - oven) (empty ?o - oven)
    (open))                      ; the shop
  (:functions
    (mixing-time ?c - cake) (baking-time ?c - cake) (heating-time ?o - oven))

  (:durative-action heat
    :parameters (?o - oven)
    :duration (= ?duration (heating-time ?o))
    :condition (at start (cold ?o))
    :effect (and (at start (not (cold ?o))) (at end (hot ?o))))

  (:durative-action mix
    :parameters (?c - cake ?b - baker)
    :duration (= ?duration (mixing-time ?c))
    :condition (and (at start (ordered ?c)) (at start (free ?b)))
    :effect (and (at start (not (ordered ?c))) (at start (not (free ?b)))
                 (at end (mixed ?c)) (at end (free ?b))))

  (:durative-action bake
    :parameters (?c - cake ?o - oven)
    :duration (= ?duration (baking-time ?c))
    :condition (and (at start (mixed ?c)) (at start (empty ?o)) (over all (hot ?o)))
    :effect (and (at start (not (mixed ?c))) (at start (not (empty ?o)))
                 (at end (baked ?c)) (at end (empty ?o))))

  (:action sell
    :parameters (?c - cake ?b - baker)
    :precondition (and (open) (baked ?c) (free ?b))
    :effect (and (sold ?c) (not (baked ?c)))))

; What each tool of the agent needs, and what it changes.
(define (domain courier)
  (:requirements :strips :typing)
  (:types place parcel)
  (:predicates (road ?from ?to - place) (agent-at ?place - place)
               (parcel-at ?parcel - parcel ?place - place)
               (carried ?parcel - parcel) (hands-free))

  (:action drive
    :parameters (?from ?to - place)
    :precondition (and (agent-at ?from) (road ?from ?to))
    :effect (and (agent-at ?to) (not (agent-at ?from))))

  (:action pick-up
    :parameters (?parcel - parcel ?place - place)
    :precondition (and (agent-at ?place) (parcel-at ?parcel ?place) (hands-free))
    :effect (and (carried ?parcel) (not (parcel-at ?parcel ?place)) (not (hands-free))))

  (:action hand-over
    :parameters (?parcel - parcel ?place - place)
    :precondition (and (agent-at ?place) (carried ?parcel))
    :effect (and (parcel-at ?parcel ?place) (hands-free) (not (carried ?parcel)))))

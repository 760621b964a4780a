; A van delivers parcels. It carries only so much, and its fuel only lasts so far.
(define (domain van)
  (:requirements :typing :equality :negative-preconditions :numeric-fluents)
  (:types place parcel)
  (:predicates
    (van-at ?p - place)
    (at ?x - parcel ?p - place)
    (in-van ?x - parcel)
    (pump ?p - place))           ; fuel is sold here
  (:functions
    (fuel) (tank)                ; litres in the tank, and how many it holds
    (cargo) (limit)              ; kilograms in the van, and how many it may carry
    (weight ?x - parcel)
    (needs ?from ?to - place))   ; litres for the way

  (:action drive
    :parameters (?from ?to - place)
    :precondition (and (van-at ?from) (not (= ?from ?to)) (>= (fuel) (needs ?from ?to)))
    :effect (and (van-at ?to) (not (van-at ?from)) (decrease (fuel) (needs ?from ?to))))

  (:action load
    :parameters (?x - parcel ?p - place)
    :precondition (and (at ?x ?p) (van-at ?p) (<= (+ (cargo) (weight ?x)) (limit)))
    :effect (and (in-van ?x) (not (at ?x ?p)) (increase (cargo) (weight ?x))))

  (:action unload
    :parameters (?x - parcel ?p - place)
    :precondition (and (in-van ?x) (van-at ?p))
    :effect (and (at ?x ?p) (not (in-van ?x)) (decrease (cargo) (weight ?x))))

  (:action refuel
    :parameters (?p - place)
    :precondition (and (van-at ?p) (pump ?p) (< (fuel) (tank)))
    :effect (assign (fuel) (tank))))

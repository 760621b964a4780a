; Trucks carry packages within a city, airplanes between airports.
(define (domain logistics)
  (:requirements :strips :typing :action-costs)
  (:types
    city place package vehicle - object
    airport - place
    truck airplane - vehicle)
  (:predicates
    (in-city ?l - place ?c - city)
    (at ?x - (either package vehicle) ?l - place)
    (in ?p - package ?v - vehicle))
  (:functions (total-cost) - number)

  (:action load
    :parameters (?p - package ?v - vehicle ?l - place)
    :precondition (and (at ?p ?l) (at ?v ?l))
    :effect (and (in ?p ?v) (not (at ?p ?l)) (increase (total-cost) 1)))

  (:action unload
    :parameters (?p - package ?v - vehicle ?l - place)
    :precondition (and (in ?p ?v) (at ?v ?l))
    :effect (and (at ?p ?l) (not (in ?p ?v)) (increase (total-cost) 1)))

  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (in-city ?from ?c) (in-city ?to ?c))
    :effect (and (at ?t ?to) (not (at ?t ?from)) (increase (total-cost) 2)))

  (:action fly
    :parameters (?a - airplane ?from ?to - airport)
    :precondition (at ?a ?from)
    :effect (and (at ?a ?to) (not (at ?a ?from)) (increase (total-cost) 10))))

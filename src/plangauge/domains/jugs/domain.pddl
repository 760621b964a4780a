; Water is poured from jug to jug; none is added or lost, and nothing can be measured but by the jugs.
(define (domain jugs)
  (:requirements :typing :equality :numeric-fluents)
  (:types jug)
  (:functions
    (level ?j - jug)             ; litres that are in it
    (capacity ?j - jug))

  (:action empty-into            ; all that is in the one fits into the other
    :parameters (?from ?to - jug)
    :precondition (and (not (= ?from ?to)) (> (level ?from) 0)
                       (<= (+ (level ?from) (level ?to)) (capacity ?to)))
    :effect (and (increase (level ?to) (level ?from)) (assign (level ?from) 0)))

  (:action fill-up               ; it does not fit: the other one is full before
    :parameters (?from ?to - jug)
    :precondition (and (not (= ?from ?to)) (< (level ?to) (capacity ?to))
                       (> (+ (level ?from) (level ?to)) (capacity ?to)))
    :effect (and (decrease (level ?from) (- (capacity ?to) (level ?to)))
                 (assign (level ?to) (capacity ?to)))))

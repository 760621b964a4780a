; Four of eight litres, by a jug of five and a jug of three.
(define (problem jugs-3)
  (:domain jugs)
  (:objects
    large middle small - jug)
  (:init
    (= (level large) 8) (= (level middle) 0) (= (level small) 0)
    (= (capacity large) 8) (= (capacity middle) 5) (= (capacity small) 3))
  (:goal (and
    (= (level middle) 4))))

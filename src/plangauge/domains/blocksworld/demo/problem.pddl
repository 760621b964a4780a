; Turn a tower of three blocks upside down; a fourth block stands beside it.
(define (problem reverse-tower)
  (:domain blocksworld)
  (:objects a b c d - block)
  (:init (on a b) (on b c) (on-table c) (on-table d)
         (clear a) (clear d) (arm-empty))
  (:goal (and (on c b) (on b a))))

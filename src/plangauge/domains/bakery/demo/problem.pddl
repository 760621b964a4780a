; The second cake is mixed while the first is baked; the shop closes soon after.
(define (problem bakery-4)
  (:domain bakery)
  (:objects
    sponge tart - cake oven0 - oven mia - baker)
  (:init
    (ordered sponge) (ordered tart) (cold oven0) (empty oven0) (free mia) (open)
    (at 100 (not (open))) (= (mixing-time sponge) 20) (= (mixing-time tart) 15)
    (= (baking-time sponge) 35) (= (baking-time tart) 30) (= (heating-time oven0) 10))
  (:goal (and
    (sold sponge) (sold tart)))
  (:metric minimize (total-time)))

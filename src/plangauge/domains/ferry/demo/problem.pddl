(define (problem ferry-5)
  (:domain ferry)
  (:objects
    port0 port1 port2 - location car0 car1 - car)
  (:init
    (at-ferry port2) (empty-ferry) (at car0 port2) (at car1 port0))
  (:goal (and
    (at car0 port0) (at car1 port2))))

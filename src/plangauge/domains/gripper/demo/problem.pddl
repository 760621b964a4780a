(define (problem gripper-7)
  (:domain gripper)
  (:objects
    room0 room1 room2 - room ball0 ball1 - ball left right - gripper)
  (:init
    (at-robby room2) (free left) (free right) (at ball0 room2) (at ball1 room0))
  (:goal (and
    (at ball0 room0) (at ball1 room2))))

(define (problem satellite-14)
  (:domain satellite)
  (:objects
    satellite0 satellite1 - satellite instrument0 instrument1 instrument2 instrument3 - instrument
    mode0 mode1 mode2 - mode star0 star1 star2 star3 star4 - direction)
  (:init
    (on_board instrument0 satellite0) (calibration_target instrument0 star4)
    (on_board instrument1 satellite0) (calibration_target instrument1 star3)
    (on_board instrument2 satellite1) (calibration_target instrument2 star2)
    (on_board instrument3 satellite1) (calibration_target instrument3 star1)
    (supports instrument0 mode1) (supports instrument1 mode0) (supports instrument1 mode1)
    (supports instrument2 mode1) (supports instrument2 mode2) (supports instrument3 mode0)
    (supports instrument3 mode2) (power_avail satellite0) (pointing satellite0 star2)
    (power_avail satellite1) (pointing satellite1 star3))
  (:goal (and
    (have_image star0 mode1) (have_image star1 mode2) (have_image star2 mode2)
    (have_image star3 mode1))))

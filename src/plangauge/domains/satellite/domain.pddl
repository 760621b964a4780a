; Satellites point their instruments at directions and take images of them.
(define (domain satellite)
  (:requirements :strips :typing)
  (:types satellite instrument mode direction)
  (:predicates
    (on_board ?i - instrument ?s - satellite)
    (supports ?i - instrument ?m - mode)
    (calibration_target ?i - instrument ?d - direction)
    (pointing ?s - satellite ?d - direction)
    (power_avail ?s - satellite)
    (power_on ?i - instrument)
    (calibrated ?i - instrument)
    (have_image ?d - direction ?m - mode))

  (:action turn_to
    :parameters (?s - satellite ?new ?old - direction)
    :precondition (pointing ?s ?old)
    :effect (and (pointing ?s ?new) (not (pointing ?s ?old))))

  (:action switch_on
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on_board ?i ?s) (power_avail ?s))
    :effect (and (power_on ?i)
                 (not (calibrated ?i)) (not (power_avail ?s))))

  (:action switch_off
    :parameters (?i - instrument ?s - satellite)
    :precondition (and (on_board ?i ?s) (power_on ?i))
    :effect (and (power_avail ?s)
                 (not (power_on ?i))))

  (:action calibrate           ; pointing at the target of the instrument
    :parameters (?s - satellite ?i - instrument ?d - direction)
    :precondition (and (on_board ?i ?s) (calibration_target ?i ?d)
                       (pointing ?s ?d) (power_on ?i))
    :effect (calibrated ?i))

  (:action take_image
    :parameters (?s - satellite ?d - direction ?i - instrument ?m - mode)
    :precondition (and (on_board ?i ?s) (supports ?i ?m) (calibrated ?i)
                       (power_on ?i) (pointing ?s ?d))
    :effect (have_image ?d ?m)))

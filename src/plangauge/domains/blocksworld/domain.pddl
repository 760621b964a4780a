; Blocks are stacked by one arm that can hold one block.
(define (domain blocksworld)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?top ?below - block)
    (on-table ?b - block)
    (clear ?b - block)       ; nothing is on it
    (holding ?b - block)
    (arm-empty))

  (:action pick-up           ; from the table
    :parameters (?b - block)
    :precondition (and (on-table ?b) (clear ?b) (arm-empty))
    :effect (and (holding ?b)
                 (not (on-table ?b)) (not (clear ?b)) (not (arm-empty))))

  (:action put-down          ; on the table
    :parameters (?b - block)
    :precondition (holding ?b)
    :effect (and (on-table ?b) (clear ?b) (arm-empty)
                 (not (holding ?b))))

  (:action stack             ; a held block on another one
    :parameters (?top ?below - block)
    :precondition (and (holding ?top) (clear ?below))
    :effect (and (on ?top ?below) (clear ?top) (arm-empty)
                 (not (holding ?top)) (not (clear ?below))))

  (:action unstack           ; a block from another one
    :parameters (?top ?below - block)
    :precondition (and (on ?top ?below) (clear ?top) (arm-empty))
    :effect (and (holding ?top) (clear ?below)
                 (not (on ?top ?below)) (not (clear ?top)) (not (arm-empty)))))

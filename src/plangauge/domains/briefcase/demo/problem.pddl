; Take glasses and papers to the office; the glasses must be packed first, and the case come home.
(define (problem to-the-office)
  (:domain briefcase)
  (:objects home office bank - place
            glasses papers - thing)
  (:init (case-at home) (at glasses home) (at papers bank) (fragile glasses))
  (:goal (and (forall (?t - thing) (at ?t office)) (case-at home))))

(define (problem two-parcels)
  (:domain courier)
  (:objects depot market harbour - place
            books tea - parcel)
  (:init (agent-at depot) (hands-free) (parcel-at books depot) (parcel-at tea market)
         (road depot market) (road market depot) (road market harbour) (road harbour market))
  (:goal (and (parcel-at books harbour) (parcel-at tea depot))))

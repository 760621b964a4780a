; The two heavy parcels cannot be carried together, and the fuel is not enough for both tours.
(define (problem van-5)
  (:domain van)
  (:objects
    depot farm - place parcel0 parcel1 parcel2 - parcel)
  (:init
    (van-at depot) (pump depot) (at parcel0 depot) (at parcel1 depot) (at parcel2 farm)
    (= (fuel) 9) (= (tank) 12) (= (cargo) 0) (= (limit) 4.5)
    (= (weight parcel0) 4) (= (weight parcel1) 2.5) (= (weight parcel2) 0.5)
    (= (needs depot farm) 4) (= (needs farm depot) 4))
  (:goal (and
    (at parcel0 farm) (at parcel1 farm) (at parcel2 depot))))

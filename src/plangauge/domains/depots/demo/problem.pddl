; Bring the crate that lies under another one to the shop.
(define (problem buried-crate)
  (:domain depots)
  (:objects
    depot1 - depot
    shop - distributor
    truck1 - truck
    hoist1 hoist2 - hoist
    pallet1 pallet2 - pallet
    crate1 crate2 - crate)
  (:init
    (at hoist1 depot1) (available hoist1) (at pallet1 depot1)
    (at hoist2 shop) (available hoist2) (at pallet2 shop) (clear pallet2)
    (at truck1 shop)
    (at crate1 depot1) (on crate1 pallet1)
    (at crate2 depot1) (on crate2 crate1) (clear crate2))
  (:goal (and (on crate1 pallet2) (at crate2 depot1))))

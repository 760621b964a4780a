; Send a letter from an office in Paris to an office in London; the truck waits at the airport.
(define (problem letter)
  (:domain logistics)
  (:objects
    paris london - city
    paris-airport london-airport - airport
    paris-office london-office - place
    paris-truck london-truck - truck
    plane - airplane
    letter - package)
  (:init
    (in-city paris-airport paris) (in-city paris-office paris)
    (in-city london-airport london) (in-city london-office london)
    (at paris-truck paris-airport) (at london-truck london-airport)
    (at plane london-airport) (at letter paris-office)
    (= (total-cost) 0))
  (:goal (at letter london-office))
  (:metric minimize (total-cost)))

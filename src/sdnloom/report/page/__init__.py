"""Results as one HTML page with a sequence diagram, states, a drawing of the network and source lines."""

"""No correction of BUG-XI: the rules are sent to the last switch first, but may arrive in any order all the same."""

from bug11 import IgnoresTheWay


class LastSwitchFirst(IgnoresTheWay):
    def install_path(self, flow, path):
        for datapath_id in reversed(path):
            self.install(datapath_id, flow, path)

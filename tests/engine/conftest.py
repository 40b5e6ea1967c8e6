import pytest


@pytest.fixture(scope="session")
def compiled_kernel():
    """Compile the kernel, so that a search changes to it at once."""
    from sdnloom.engine.kernel.compilation import compile_kernel

    compile_kernel()

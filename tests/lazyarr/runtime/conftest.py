import pytest

from lazyarr.runtime import Device, DeviceError, default_device


@pytest.fixture(scope="session")
def device() -> Device:
    try:
        return default_device()
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.fixture
def cpu(device: Device) -> Device:
    if not device.zero_copy:
        pytest.skip("the default device has memory of its own")
    return device

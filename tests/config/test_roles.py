"""Roles and the permission class that Django REST framework is told to use."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("module", ["config.permissions", "rest_framework.views", "drf_spectacular.openapi"])
def test_the_rest_framework_loads_whichever_module_comes_first(module: str) -> None:
    """Its default permission is ours, and ours must not need its views to be there already."""
    code = f"import django; django.setup(); import {module}; from rest_framework.views import APIView"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr

from django.db import migrations

from registry import triggers


class Migration(migrations.Migration):
    dependencies = [("registry", "0003_registry_state_row")]

    operations = [migrations.RunPython(triggers.install_name, triggers.remove_name)]

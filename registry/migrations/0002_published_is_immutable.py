from django.db import migrations

from registry import triggers


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_initial")]

    operations = [migrations.RunPython(triggers.install, triggers.remove)]

from django.db import migrations


def create_row(apps, editor):
    apps.get_model("registry", "RegistryState").objects.using(editor.connection.alias).get_or_create(pk=1)


class Migration(migrations.Migration):
    """Changes of the registry lock this row, so it is there before the first of them."""

    dependencies = [("registry", "0002_published_is_immutable")]

    operations = [migrations.RunPython(create_row, migrations.RunPython.noop)]

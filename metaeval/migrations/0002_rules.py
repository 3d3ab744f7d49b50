from django.db import migrations

from config.constraints import frozen


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0001_initial")]
    operations = [*frozen("metaeval_report", what="a report")]

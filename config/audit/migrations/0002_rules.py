from django.db import migrations

from config.constraints import frozen


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [*frozen("audit_auditevent", what="the audit log")]

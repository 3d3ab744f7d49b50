from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rendering", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="renderjob",
            name="doing",
            field=models.CharField(
                blank=True, help_text="what it is at, in the words of the work itself", max_length=200
            ),
        ),
    ]

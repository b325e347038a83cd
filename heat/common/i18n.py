"""Translation of the text that users read."""
import oslo_i18n

_translators = oslo_i18n.TranslatorFactory(domain='heat')

_ = _translators.primary

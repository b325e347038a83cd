"""OS::Heat::RandomString: a secret made once."""
from heat.common import exception
from heat.common import password_gen
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine import translation

_MAX_LENGTH = 512


class RandomString(resource.Resource):
    """Generates a random string, for example a password or a token.

    The characters are chosen from named classes, such as letters or
    digits, and from custom sequences. Each class and sequence can
    specify a minimum number of characters. The string is stored
    encrypted and does not change until the resource is replaced.
    """

    type_name = 'OS::Heat::RandomString'
    support_status = support.SupportStatus(version='2014.1')
    handlers_are_local = True

    PROPERTIES = (
        LENGTH, SEQUENCE, CHARACTER_CLASSES, CHARACTER_SEQUENCES, SALT,
    ) = (
        'length', 'sequence', 'character_classes', 'character_sequences',
        'salt',
    )

    _CHARACTER_CLASSES_KEYS = (
        CHARACTER_CLASSES_CLASS, CHARACTER_CLASSES_MIN,
    ) = (
        'class', 'min',
    )

    _CHARACTER_SEQUENCES_KEYS = (
        CHARACTER_SEQUENCES_SEQUENCE, CHARACTER_SEQUENCES_MIN,
    ) = (
        'sequence', 'min',
    )

    ATTRIBUTES = (
        VALUE,
    ) = (
        'value',
    )

    properties_schema = {
        LENGTH: properties.Schema(
            properties.Schema.INTEGER,
            _('Length of the string in characters.'),
            default=32,
            constraints=[constraints.Range(1, _MAX_LENGTH)]),
        SEQUENCE: properties.Schema(
            properties.Schema.STRING,
            _('Character class from which the string is generated.'),
            constraints=[constraints.AllowedValues(
                list(password_gen.CHARACTER_CLASSES))],
            support_status=support.SupportStatus(
                status=support.HIDDEN,
                version='5.0.0',
                previous_status=support.SupportStatus(
                    status=support.DEPRECATED,
                    message=_('Use property %s.') % CHARACTER_CLASSES,
                    version='2014.2'))),
        CHARACTER_CLASSES: properties.Schema(
            properties.Schema.LIST,
            _('Character classes from which the string is generated.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema={
                    CHARACTER_CLASSES_CLASS: properties.Schema(
                        properties.Schema.STRING,
                        _('Name of the character class.'),
                        constraints=[constraints.AllowedValues(
                            list(password_gen.CHARACTER_CLASSES))],
                        default=password_gen.LETTERS_DIGITS),
                    CHARACTER_CLASSES_MIN: properties.Schema(
                        properties.Schema.INTEGER,
                        _('Minimum number of characters of this class in the '
                          'string.'),
                        default=1,
                        constraints=[constraints.Range(1, _MAX_LENGTH)]),
                }),
            # Without a say of the user, any letter or digit will do.
            default=[{CHARACTER_CLASSES_CLASS: password_gen.LETTERS_DIGITS,
                      CHARACTER_CLASSES_MIN: 1}]),
        CHARACTER_SEQUENCES: properties.Schema(
            properties.Schema.LIST,
            _('Character sequences from which the string is generated.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                schema={
                    CHARACTER_SEQUENCES_SEQUENCE: properties.Schema(
                        properties.Schema.STRING,
                        _('Characters to choose from.'),
                        required=True),
                    CHARACTER_SEQUENCES_MIN: properties.Schema(
                        properties.Schema.INTEGER,
                        _('Minimum number of characters of this sequence in '
                          'the string.'),
                        default=1,
                        constraints=[constraints.Range(1, _MAX_LENGTH)]),
                })),
        SALT: properties.Schema(
            properties.Schema.STRING,
            _('Arbitrary value whose change in an update generates a new '
              'string.')),
    }

    attributes_schema = {
        VALUE: attributes.Schema(
            _('Generated string. A reference to the resource returns the same '
              'value.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }

    def translation_rules(self, properties):
        """Read the hidden property as one of the character classes."""
        sequence = properties.get(self.SEQUENCE)
        if not sequence:
            return None
        rule = translation.TranslationRule
        return [
            rule(properties, rule.ADD, [self.CHARACTER_CLASSES],
                 [{self.CHARACTER_CLASSES_CLASS: sequence,
                   self.CHARACTER_CLASSES_MIN: 1}]),
            rule(properties, rule.DELETE, [self.SEQUENCE]),
        ]

    def validate(self):
        """Check that the string has room for what must be in it."""
        super().validate()
        minimum = sum(
            item[self.CHARACTER_CLASSES_MIN] for item in
            self.properties[self.CHARACTER_CLASSES] or ())
        minimum += sum(
            item[self.CHARACTER_SEQUENCES_MIN] for item in
            self.properties[self.CHARACTER_SEQUENCES] or ())
        if minimum > self.properties[self.LENGTH]:
            raise exception.StackValidationFailed(
                resource=self, path=['properties', self.LENGTH],
                message=_('The length is smaller than the sum of the minimum '
                          'numbers of characters of all classes and '
                          'sequences'))

    def handle_create(self):
        """Make the string and keep it encrypted."""
        char_classes = [
            password_gen.special_char_class(
                item[self.CHARACTER_SEQUENCES_SEQUENCE],
                item[self.CHARACTER_SEQUENCES_MIN])
            for item in self.properties[self.CHARACTER_SEQUENCES] or ()]
        char_classes += [
            password_gen.named_char_class(
                item[self.CHARACTER_CLASSES_CLASS],
                item[self.CHARACTER_CLASSES_MIN])
            for item in self.properties[self.CHARACTER_CLASSES] or ()]
        if not char_classes:
            char_classes = [password_gen.named_char_class(
                password_gen.LETTERS_DIGITS)]
        self.data_set('value', password_gen.generate_password(
            self.properties[self.LENGTH], char_classes), redact=True)
        self.resource_id_set(self.physical_resource_name())

    def _resolve_attribute(self, name):
        if name == self.VALUE:
            return self.data().get('value')
        return None

    def get_reference_id(self):
        """Return the string once there is one."""
        if self.resource_id is None:
            return self.name
        return self.data().get('value')

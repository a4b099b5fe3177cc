/** What an automation may write under `notify`. */
import type { JsonSchema } from '../../../engine/index.ts'

const NAME = { type: 'string', minLength: 1, maxLength: 255 } as const

/** A relation to accounts, or the record itself where it is one. */
const PEOPLE = {
  ...NAME,
  pattern: '^(\\$record|[A-Za-z][A-Za-z0-9_.]*)$',
  'x-expects': 'a relation to accounts, or $record where the record is one',
}

const TITLE: JsonSchema = {
  ...NAME,
  description: 'What happened, in Liquid over the record.',
  examples: ['Ticket #{{ uid }} is late'],
}

const MESSAGE: JsonSchema = {
  type: 'string',
  maxLength: 5_000,
  description: 'What there is to say about it, in Liquid over the record.',
  examples: ['{{ subject }}'],
}

const IN_MAIL: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'What a mail says in place of the title and the message.',
  examples: [{ sentence: 'The ticket #{{ uid }} is late.', text: '{{ details }}' }],
  properties: {
    sentence: {
      type: 'string',
      minLength: 1,
      maxLength: 1_000,
      description: 'The sentence, in Liquid over the record; the title if absent.',
      examples: ['Your ticket #{{ uid }} is late.'],
    },
    text: {
      type: 'string',
      maxLength: 20_000,
      description: 'The text below it, in Liquid over the record; the message if absent, and none where it is empty.',
      examples: ['{{ details }}'],
    },
  },
}

const ENTRY: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    people: {
      ...PEOPLE,
      description: 'Whom a relation leads to; `$record`: the account that the record is.',
      examples: ['assignedTo'],
    },
    roles: {
      type: 'array',
      items: NAME,
      minItems: 1,
      description: 'Everybody with one of these roles.',
      examples: [['admin']],
    },
    permission: { ...NAME, description: 'Everybody who holds this permission.', examples: ['tickets.view'] },
    title: { ...TITLE, description: 'What these people read in place of the title.' },
    message: { ...MESSAGE, description: 'What these people read in place of the message.' },
    in_mail: IN_MAIL,
  },
}

const KIND_PATTERN = '^[a-z][a-z0-9_]{0,63}$'

/** The options of `notify`. */
export const TAKES: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to', 'title'],
  properties: {
    to: {
      description: 'Whom: relations to accounts, roles, or a permission; each with words of its own where they differ.',
      examples: [['assignedTo', { people: 'user', title: 'Your ticket #{{ uid }} is late' }, { roles: ['manager'] }]],
      oneOf: [PEOPLE, ENTRY, { type: 'array', items: { oneOf: [PEOPLE, ENTRY] }, minItems: 1, maxItems: 50 }],
    },
    except: {
      description: 'Who is not told, though `to` names them.',
      examples: ['watchers'],
      oneOf: [PEOPLE, { type: 'array', items: PEOPLE, minItems: 1, maxItems: 50 }],
    },
    title: TITLE,
    message: { ...MESSAGE, default: '' },
    in_mail: IN_MAIL,
    kind: {
      type: 'string',
      pattern: KIND_PATTERN,
      description: 'The kind, for filters and for each person’s settings; the name of the automation if absent.',
      examples: ['ticket_late'],
    },
    mail: {
      type: 'boolean',
      description:
        'Whether it is mailed too, unless a person decides otherwise; if absent, where the option `mail` of the plugin names the kind.',
      examples: [true],
    },
    data: {
      type: 'object',
      minProperties: 1,
      maxProperties: 20,
      propertyNames: { pattern: KIND_PATTERN },
      additionalProperties: NAME,
      description: 'Values of the record that programs read in `data`, in place of `resource` and `record_id`.',
      examples: [{ user_id: 'id' }],
    },
  },
}

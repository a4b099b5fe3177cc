/** The JSON Schemas of the key `notify` of a resource, and of the action `notify` of automations. */
import type { JsonSchema } from '../../../engine/index.ts'

const NAME = { type: 'string', minLength: 1, maxLength: 255 } as const

/** Relations to accounts, or the record itself where it is one. */
const PEOPLE = {
  ...NAME,
  pattern: '^(\\$record|[A-Za-z][A-Za-z0-9_.]*)$',
  'x-expects': 'a relation to accounts, or $record where the record is one',
}

const SEVERAL: JsonSchema = { oneOf: [PEOPLE, { type: 'array', items: PEOPLE, minItems: 1, maxItems: 50 }] }

const WHEN: JsonSchema = {
  type: 'object',
  minProperties: 1,
  description: 'Only if this holds for the record; `before.` in front of a path is the record before the change.',
  examples: [{ 'status.category': 'solved', 'before.status.category': 'open' }],
}

const BY: JsonSchema = { ...SEVERAL, description: 'Only where one of these people did it.', examples: ['user'] }

const NOT_BY: JsonSchema = { ...SEVERAL, description: 'Only where none of these people did it.', examples: ['user'] }

const CONDITIONS: Readonly<Record<string, JsonSchema>> = { when: WHEN, by: BY, not_by: NOT_BY }

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
      oneOf: [{ const: 'unassigned' }, { type: 'array', items: NAME, minItems: 1 }],
      description: 'Everybody with one of these roles; `unassigned`: with one that the option `unassigned` names.',
      examples: [['admin']],
    },
    permission: { ...NAME, description: 'Everybody who holds this permission.', examples: ['tickets.view'] },
    only: { ...PEOPLE, description: 'Of these people, only those whom this leads to as well.', examples: ['user'] },
    ...CONDITIONS,
    self: {
      type: 'boolean',
      description: 'Tells only who did it, whom nothing else tells.',
      examples: [true],
    },
    list: {
      type: 'boolean',
      description: 'Whether it is in their list; by mail alone if false.',
      examples: [false],
    },
    title: { ...TITLE, description: 'What these people read in place of the title.' },
    message: { ...MESSAGE, description: 'What these people read in place of the message.' },
    in_mail: IN_MAIL,
  },
}

const KIND_PATTERN = '^[a-z][a-z0-9_]{0,63}$'

const COPIES: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['of', 'to', 'shows'],
  description: 'Who gets a copy by mail of what somebody is told, without an account: contacts, and addresses.',
  examples: [{ of: 'user', to: ['contact', 'cc'], shows: ['uid', 'subject'] }],
  properties: {
    of: { ...PEOPLE, description: 'Whose words are copied: people of an entry of `to`.', examples: ['user'] },
    to: {
      oneOf: [NAME, { type: 'array', items: NAME, minItems: 1, maxItems: 50 }],
      description: 'Relations to a record with an address, and fields of type email or lists of them.',
      examples: [['contact', 'cc']],
    },
    shows: {
      type: 'array',
      items: NAME,
      uniqueItems: true,
      maxItems: 100,
      description: 'What recipients without an account may read of the record.',
      examples: [['uid', 'subject']],
    },
    ...CONDITIONS,
  },
}

const PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  to: {
    description:
      'Whom: relations to accounts, roles, or a permission; each with words of its own where they differ. A person whom several name is told once, by the first.',
    examples: [['assignedTo', { people: 'user', title: 'Your ticket #{{ uid }} is late' }, { roles: ['manager'] }]],
    oneOf: [PEOPLE, ENTRY, { type: 'array', items: { oneOf: [PEOPLE, ENTRY] }, minItems: 1, maxItems: 50 }],
  },
  except: { ...SEVERAL, description: 'Who is not told, though `to` names them.', examples: ['watchers'] },
  copies: COPIES,
  title: TITLE,
  message: { ...MESSAGE, default: '' },
  in_mail: IN_MAIL,
  kind: {
    type: 'string',
    pattern: KIND_PATTERN,
    description: 'The kind, for filters and for each person’s settings; the name of what tells it if absent.',
    examples: ['ticket_late'],
  },
  mail: {
    type: 'boolean',
    description:
      'Whether it is mailed too, unless a person decides otherwise; if absent, where the option `mail` of the plugin names the kind.',
    examples: [true],
  },
  about: {
    ...NAME,
    description: 'The relation to the ticket that it is about; the record itself, or its relation `ticket`, if absent.',
    examples: ['conversation.ticket'],
  },
  data: {
    type: 'object',
    minProperties: 1,
    maxProperties: 20,
    propertyNames: { pattern: KIND_PATTERN },
    additionalProperties: NAME,
    description: 'Values of the record that programs read in `data`, by name.',
    examples: [{ user_id: 'id' }],
  },
}

/** The options of the action `notify` of automations. */
export const ACTION_OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to', 'title'],
  properties: PROPERTIES,
}

/** The writes that a rule can be for; nobody can see a deleted record. */
export const WRITES = ['create', 'update', 'restore'] as const

const CHANGED: JsonSchema = { ...NAME, pattern: '^[A-Za-z][A-Za-z0-9_]*$', 'x-expects': 'a field or a relation' }

/** The key `notify` of a resource: what is told, by name. */
export const NOTIFY: JsonSchema = {
  type: 'object',
  minProperties: 1,
  maxProperties: 50,
  propertyNames: { pattern: KIND_PATTERN },
  examples: [{ lent: { on: 'create', to: 'borrower', title: 'You have borrowed {{ book.title }}' } }],
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    required: ['on', 'to', 'title'],
    properties: {
      description: { ...NAME, description: 'What it is for.', examples: ['Who lends a book hears when it is back.'] },
      on: {
        description: 'After which writes.',
        examples: ['create', ['create', 'update']],
        oneOf: [{ enum: [...WRITES] }, { type: 'array', items: { enum: [...WRITES] }, minItems: 1, uniqueItems: true }],
      },
      changed: {
        description: 'Of updates, only those that change this, or one of these.',
        examples: ['status'],
        oneOf: [CHANGED, { type: 'array', items: CHANGED, minItems: 1 }],
      },
      ...CONDITIONS,
      ...PROPERTIES,
    },
  },
}

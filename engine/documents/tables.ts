/** Every table of the documents that the code knows: its name in a page, and what makes it. */
import { COMMANDS } from '../cli/commands.ts'
import { FIELD_KEYS } from '../definition/field-schema.ts'
import { FILTER_DEFINITIONS, POLICIES } from '../definition/filter-schema.ts'
import { RELATION_DEFINITIONS } from '../definition/relation-schema.ts'
import { automationSchema, FOLLOWS, MOVE_KEYS, RULES, VALUE_WORDS } from '../definition/rule-schema.ts'
import { STEP_KEYS } from '../definition/scenario.ts'
import { APP_KEYS, RESOURCE_KEYS } from '../definition/schema.ts'
import { WORDS_KEYS } from '../definition/words-schema.ts'
import { ERRORS } from '../error.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { FIELD_ERRORS } from '../field-error.ts'
import type { JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { CONTRIBUTIONS } from '../plugin/contribution.ts'
import { VARIABLES } from '../settings.ts'
import { CURES } from '../text/cure.ts'
import { DIAGNOSTIC_CODES } from '../text/diagnostic.ts'
import { deepKeys, type Keys, keyTable, propertiesOf, table } from './key-table.ts'
import { CURE_LINKS, KEY_LINKS, LIMIT_MEANINGS, RUN_EXAMPLE, TYPE_PAGE, VALUE_EXAMPLES } from './texts.ts'

type Make = () => string

/** Keys that have a page of their own, or whose row says enough: a table of all keys has no row for what is below them. */
const WHOLE: ReadonlySet<string> = new Set(
  'label explain limits policies rules moves follows automations hooks listeners status_codes'.split(' '),
)
/** Keys whose own keys have a table on the page that explains them. */
const ELSEWHERE =
  'calendars id renamed_from sort search summary count indexes nested seeds keep views layout buttons console'.split(
    ' ',
  )
/** What a rule can be about. */
const KINDS: ReadonlySet<string> = new Set(['must', 'at_least', 'at_most', 'only_one', 'no_overlap'])

const TYPES = FIELD_TYPES.filter(({ internal }) => internal !== true)
const { operators, filter, clause } = FILTER_DEFINITIONS
const RELATED = ['some', 'none', 'every', 'count', 'where']

function all(keys: Keys): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(keys).flatMap(([name, schema]) =>
    WHOLE.has(name) || ELSEWHERE.includes(name) ? [[name, schema] as const] : [...deepKeys(name, schema)],
  )
}

function only(keys: Keys, holds: (name: string) => boolean): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(keys).filter(([name]) => holds(name))
}

const words = (keys: readonly (readonly [string, JsonSchema])[]): string =>
  table(
    ['word', 'meaning'],
    keys.map(([name, { description }]) => [`\`${name}\``, String(description)]),
  )

const moves = propertiesOf(MOVE_KEYS.additionalProperties)
const { from, to } = propertiesOf(moves.allow?.items)
const rules = propertiesOf(RULES.additionalProperties)
const automation = propertiesOf(automationSchema(new Map()))

/** The tables of the language of the YAML. */
const LANGUAGE: Readonly<Record<string, Make>> = {
  'keys of app.yaml': () => keyTable(all(APP_KEYS), KEY_LINKS),
  'keys of a resource': () => keyTable(all(RESOURCE_KEYS), KEY_LINKS),
  ...Object.fromEntries(
    ELSEWHERE.map((name) => [
      `keys of ${name}`,
      () => keyTable([...deepKeys(name, { ...APP_KEYS, ...RESOURCE_KEYS }[name]!)].slice(1)),
    ]),
  ),
  'keys of a field': () => keyTable(Object.entries(FIELD_KEYS)),
  'types of fields': () =>
    table(
      ['type', 'values'],
      TYPES.map(({ name, description = '' }) => [`[\`${name}\`](${TYPE_PAGE}#${name})`, description]),
    ),
  ...Object.fromEntries(
    TYPES.filter(({ options }) => Object.keys(options).length > 0).map((type) => [
      `options of ${type.name}`,
      () => keyTable(Object.entries(type.options)).replace('| key |', '| option |'),
    ]),
  ),
  ...Object.fromEntries(
    (['belongs_to', 'has_many', 'many_to_many'] as const).map((kind) => [
      `keys of ${kind}`,
      () => keyTable(Object.entries(propertiesOf(RELATION_DEFINITIONS[kind]))),
    ]),
  ),
  'operators of filters': () => words(only(propertiesOf(operators), (name) => !RELATED.includes(name))),
  'words of related records': () => words(only(propertiesOf(operators), (name) => RELATED.includes(name))),
  'words of filters': () => words(Object.entries(propertiesOf(filter))),
  policies: () => keyTable(Object.entries(propertiesOf(POLICIES))).replace('| key |', '| policy |'),
  'keys of a clause': () => keyTable(Object.entries(propertiesOf(clause))),
  'kinds of rules': () => keyTable(only(rules, (name) => KINDS.has(name))),
  'keys of a rule': () => keyTable(only(rules, (name) => !KINDS.has(name))),
  'keys of moves': () => keyTable(Object.entries({ ...moves, from: from!, to: to! })),
  'keys of follows': () => keyTable(Object.entries(propertiesOf(FOLLOWS.items))),
  'values that follow': () =>
    table(
      ['value', 'meaning', 'example'],
      Object.entries(VALUE_WORDS).map(([name, meaning]) => [
        `\`${name}\``,
        meaning,
        `\`${name}: ${VALUE_EXAMPLES[name]}\``,
      ]),
    ),
  'keys of automations': () =>
    keyTable(Object.entries({ ...automation, run: { ...automation.run, examples: [RUN_EXAMPLE] } })),
  'keys of words': () => keyTable(Object.entries(WORDS_KEYS).flatMap(([name, schema]) => [...deepKeys(name, schema)])),
  'keys of a step': () => words(Object.entries(STEP_KEYS)),
  diagnostics: () =>
    table(
      ['code', 'cause', 'cure'],
      Object.entries(DIAGNOSTIC_CODES).map(([code, cause]) => {
        const link = CURE_LINKS[code]
        return [`\`${code}\``, cause, `${CURES[code as keyof typeof CURES]}${link === undefined ? '' : ` ${link}`}`]
      }),
    ),
  limits: () =>
    table(
      ['limit', 'default', 'what it bounds'],
      Object.entries(LIMIT_MEANINGS).map(([name, meaning]) => [
        `\`${name}\``,
        LIMITS[name as keyof typeof LIMITS].toLocaleString('en'),
        meaning,
      ]),
    ),
}

/** The tables of the program: commands, settings, codes, contributions of plugins. */
const PROGRAM: Readonly<Record<string, Make>> = {
  commands: () =>
    table(
      ['command', 'does'],
      COMMANDS.map(({ name, usage, summary }) => [
        `\`npx plinth ${[name, usage].filter((word) => word !== '').join(' ')}\``,
        summary,
      ]),
    ),
  variables: () => variableTable(VARIABLES),
  errors: () =>
    table(
      ['code', 'status', 'when'],
      Object.entries(ERRORS).map(([code, { status, when }]) => [`\`${code}\``, String(status), when]),
    ),
  'errors of fields': () =>
    table(
      ['code', 'meaning'],
      Object.entries(FIELD_ERRORS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  contributions: () =>
    table(
      ['key', 'what it gives', 'use it if'],
      Object.entries(CONTRIBUTIONS).map(([key, { gives, when }]) => [`\`${key}\``, gives, when]),
    ),
}

export type Described = Readonly<Record<string, { readonly meaning: string; readonly otherwise?: string }>>

export function variableTable(variables: Described): string {
  return table(
    ['variable', 'default', 'meaning'],
    Object.entries(variables).map(([name, { otherwise = '–', meaning }]) => [`\`${name}\``, otherwise, meaning]),
  )
}

export const TABLES: Readonly<Record<string, Make>> = { ...LANGUAGE, ...PROGRAM }

/** resources/README.md is the reference: whatever the schema and the code table know stands in it, and nothing else. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { automationSchema } from '../../engine/definition/automation-schema.ts'
import { FIELD_KEYS } from '../../engine/definition/field-schema.ts'
import { FILTER_DEFINITIONS, POLICIES } from '../../engine/definition/filter-schema.ts'
import { FOLLOWS, VALUE_WORDS } from '../../engine/definition/follow-schema.ts'
import { MOVE_KEYS } from '../../engine/definition/move-schema.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { RELATION_DEFINITIONS } from '../../engine/definition/relation-schema.ts'
import { RULES } from '../../engine/definition/rule-schema.ts'
import { checkScenarios, STEP_KEYS } from '../../engine/definition/scenario.ts'
import { APP_KEYS, RESOURCE_KEYS } from '../../engine/definition/schema.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import type { JsonSchema } from '../../engine/json.ts'
import { LIMITS } from '../../engine/limits.ts'
import { DIAGNOSTIC_CODES } from '../../engine/text/code.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { pluginEntries } from '../conventions/source.ts'
import { saysAtBoot } from '../plugin/application.ts'
import { diagnose } from './checks.ts'

const test = suite('reference')

const README = readFileSync('resources/README.md', 'utf8')

/** The text under a heading, without the sections below it. */
function section(heading: string): string {
  const start = README.indexOf(`\n${heading}\n`)
  assert.ok(start >= 0, `There is no "${heading}"`)
  const rest = README.slice(start + heading.length + 2)
  const end = rest.search(/\n#{2,3} /)
  return end < 0 ? rest : rest.slice(0, end)
}

/** The words in the first cells of the tables under a heading, table by table or all together. */
function documented(heading: string): readonly string[] {
  return [...section(heading).matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '')
}

function propertiesOf(schema: unknown): Readonly<Record<string, JsonSchema>> {
  return ((schema as JsonSchema | undefined)?.properties ?? {}) as Readonly<Record<string, JsonSchema>>
}

/** A key and all keys below it, as the reference writes them: `nested.*.path`, `indexes[].fields`. */
function* deep(name: string, schema: JsonSchema): Generator<string> {
  yield name
  for (const branch of [schema, ...((schema.anyOf ?? []) as readonly JsonSchema[])]) {
    for (const [key, child] of Object.entries(propertiesOf(branch))) yield* deep(`${name}.${key}`, child)
    for (const [key, child] of Object.entries(propertiesOf(branch.additionalProperties)))
      yield* deep(`${name}.*.${key}`, child)
    const items = branch.items as JsonSchema | undefined
    for (const item of [items, ...((items?.anyOf ?? []) as readonly JsonSchema[])])
      for (const [key, child] of Object.entries(propertiesOf(item))) yield* deep(`${name}[].${key}`, child)
  }
}

function same(documentedKeys: readonly string[], known: Iterable<string>): void {
  assert.equal([...documentedKeys].sort(), [...known].sort())
}

test('every key of app.yaml is documented, and no other', () => {
  const known = Object.entries(APP_KEYS).flatMap(([key, schema]) => (key === 'limits' ? [key] : [...deep(key, schema)]))
  same(documented('## app.yaml'), known)
})

test('every limit that is documented exists', () => {
  for (const limit of documented('### Limits')) assert.ok(Object.hasOwn(LIMITS, limit), limit)
})

test('every key of a resource file is documented, and no other', () => {
  const known = Object.entries(RESOURCE_KEYS).flatMap(([key, schema]) =>
    ['policies', 'rules', 'moves', 'follows', 'automations'].includes(key) ? [key] : [...deep(key, schema)],
  )
  same(documented('## A resource'), known)
})

test('every key of the plugins that come along is documented, and no other', async () => {
  const known: string[] = []
  for (const entry of pluginEntries()) {
    const plugin = (await import(`../../${entry}`)) as { default?: { keys?: object } }
    known.push(...Object.keys(plugin.default?.keys ?? {}))
  }
  same(documented('### Keys of the plugins that come with Plinth'), known)
})

test('every key of a field is documented, and no other', () => same(documented('## Fields'), Object.keys(FIELD_KEYS)))

for (const type of FIELD_TYPES.filter((known) => known.internal !== true)) {
  test(`the type ${type.name} and its options are documented, and no others`, () => {
    same(documented(`### ${type.name}`), Object.keys(type.options))
    assert.match(section(`### ${type.name}`), `type: ${type.name}`)
  })
}

test('no type is documented that does not exist', () => {
  const start = README.indexOf('\n## Field types\n')
  const types = README.slice(start, README.indexOf('\n## ', start + 5))
  same(
    [...types.matchAll(/^### (\w+)$/gm)].map((match) => match[1] ?? ''),
    FIELD_TYPES.filter((type) => type.internal !== true).map((type) => type.name),
  )
})

for (const kind of ['belongs_to', 'has_many', 'many_to_many'] as const) {
  test(`every key of ${kind} is documented, and no other`, () => {
    same(documented(`### ${kind}`), Object.keys(propertiesOf(RELATION_DEFINITIONS[kind])))
  })
}

test('every word of the filter language is documented, and no other', () => {
  const variables = ['$actor', '$actor.department_id', '$now', '$today', '$record.ends_on', '$before.status']
  const { operators, filter } = FILTER_DEFINITIONS
  same(documented('## Filters'), [
    ...Object.keys(propertiesOf(operators)),
    ...Object.keys(propertiesOf(filter)),
    ...variables,
  ])
})

test('every word of policies is documented, and no other', () => {
  same(documented('## Policies'), [
    ...Object.keys(propertiesOf(POLICIES)),
    ...Object.keys(propertiesOf(FILTER_DEFINITIONS.clause)),
  ])
})

test('every word of rules is documented, and no other', () => {
  same(documented('## Rules'), Object.keys(propertiesOf(RULES.additionalProperties)))
})

test('every word of moves is documented, and no other', () => {
  const moves = propertiesOf(MOVE_KEYS.additionalProperties)
  const { from, to } = propertiesOf(moves.allow?.items)
  assert.ok(from && to)
  same(documented('### Moves'), [...Object.keys(moves), 'from', 'to'])
})

test('every word of what follows is documented, and no other', () => {
  same(documented('### What follows'), [...Object.keys(propertiesOf(FOLLOWS.items)), ...Object.keys(VALUE_WORDS)])
})

test('every word of automations is documented, and no other', () => {
  same(documented('## Automations'), [...Object.keys(propertiesOf(automationSchema(new Map()))), 'pick', 'by', 'where'])
})

test('every diagnostic code is documented with its cause and a cure, and no other', () => {
  same(documented('## Scenarios'), Object.keys(STEP_KEYS))
  same(documented('## Diagnostics'), Object.keys(DIAGNOSTIC_CODES))
  const rows = [...section('## Diagnostics').matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)]
  for (const [code, cause] of Object.entries(DIAGNOSTIC_CODES)) {
    const row = rows.find((found) => found[1] === code)
    assert.is(row?.[2], cause, code)
    assert.ok((row?.[3] ?? '').length > 10, `${code} has no cure`)
  }
})

const blocks = [...README.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')

test('every example is right', () => {
  assert.ok(blocks.length > 20)
  const isScenarios = (block: string): boolean => /^scenarios:/m.test(block)
  for (const text of blocks.filter(isScenarios)) {
    const { value, diagnostics } = parseDocument({ file: 'examples.test.yaml', text })
    assert.equal(diagnostics, [])
    assert.equal(checkScenarios(value!).diagnostics, [])
  }
  for (const block of blocks.filter((one) => !isScenarios(one))) {
    const isApp = block.startsWith('name:')
    const text = isApp || block.startsWith('resource:') ? block : `resource: examples\n${block}`
    const wrong = diagnose(text, isApp ? 'app.yaml' : 'examples.yaml').filter(
      // The plugins of the tests are not those of the examples.
      (diagnostic) => !/"(timestamps|restore)"/.test(diagnostic.message),
    )
    assert.equal(wrong, [], renderDiagnostics(wrong))
  }
})

test('the examples that are whole files are an application, beside the few files that they name', async () => {
  const files = blocks.flatMap((block) => {
    const name = /^resource: (\w+)/.exec(block)?.[1]
    return name === undefined ? [] : [[`resources/${name}.yaml`, block] as const]
  })
  assert.equal(
    files.map(([file]) => file.replace(/^.*\//, '')),
    ['articles.yaml', 'statuses.yaml', 'customers.yaml', 'users.yaml', 'bookings.yaml'],
  )
  const app = blocks.find((block) => block.startsWith('name:')) ?? ''
  assert.match(app, '  soft_delete: {}\n')
  const said = await saysAtBoot({
    'resources/app.yaml': app.replace(
      '  soft_delete: {}\n',
      '  soft_delete: {}\n  mail: {}\n  auth: { roles: [admin, customer] }\n',
    ),
    'resources/branches.yaml': 'resource: branches\nactions: []\nfields: { name: { type: string } }\n',
    'resources/items.yaml': 'resource: items\nactions: []\nfields: { is_rented: { type: boolean } }\n',
    ...Object.fromEntries(files),
  })
  // What these are about is not who may use them.
  const others = said.filter((line) => !/^(customers|statuses|bookings)\.yaml .*missing_policy/.test(line))
  assert.equal(others, [])
})

test('the fields of the examples are fields of one resource', async () => {
  const fields = blocks.filter((block) => block.startsWith('fields:\n')).map((block) => block.replace('fields:\n', ''))
  assert.ok(fields.length > 15)
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: Examples\nplugins: {}\n',
    'resources/examples.yaml': `resource: examples\nactions: []\nrelations: { comments: { has_many: remarks } }\nfields:\n  name: { type: string }\n${fields.join('')}`,
    'resources/remarks.yaml': 'resource: remarks\nactions: []\nrelations: { example: { belongs_to: examples } }\n',
  })
  assert.equal(said, [])
})

test.run()

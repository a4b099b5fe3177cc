/** The guides of resources/ are right: every table is that of the code, and every example is an application. */
import { readdirSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseDocument } from '../../engine/definition/parse.ts'
import { checkScenarios } from '../../engine/definition/scenario.ts'
import { checkWords } from '../../engine/definition/words-schema.ts'
import { tablesIn } from '../../engine/documents/page.ts'
import { TABLES } from '../../engine/documents/tables.ts'
import { LIMIT_MEANINGS, VALUE_EXAMPLES } from '../../engine/documents/texts.ts'
import { FIELD_TYPES } from '../../engine/field/index.ts'
import { LIMITS } from '../../engine/limits.ts'
import { CURES } from '../../engine/text/cure.ts'
import { DIAGNOSTIC_CODES } from '../../engine/text/diagnostic.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { saysAtBoot } from '../plugin/application.ts'
import { diagnose } from './checks.ts'

const test = suite('reference')

const GUIDE = 'resources/guide'
/** Whole applications, which are run by readme.test.ts and cli/extends.test.ts. */
const WHOLE = ['first-application.md', 'extending-applications.md']
const GUIDES = readdirSync(GUIDE).filter((name) => !WHOLE.includes(name))
const PAGES = ['resources/README.md', ...GUIDES.map((name) => `${GUIDE}/${name}`)]
const TEXT = PAGES.map((path) => readFileSync(path, 'utf8')).join('\n')

test('every table of the language is in a page, once', () => {
  const shown = tablesIn(TEXT)
  const language = Object.keys(TABLES).filter(
    (name) => !/^(limits|commands|variables|errors|errors of fields|contributions)$/.test(name),
  )
  assert.equal(shown.filter((name) => name in TABLES).sort(), language.sort())
})

test('every type has a section with an example', () => {
  const page = readFileSync(`${GUIDE}/field-types.md`, 'utf8')
  const types = FIELD_TYPES.filter((type) => type.internal !== true).map(({ name }) => name)
  assert.equal(
    [...page.matchAll(/^## (\w+)$/gm)].map((match) => match[1] ?? ''),
    types,
  )
  for (const type of types) assert.match(page, `type: ${type}`)
})

test('every limit, value and cure of the tables is one of the program', () => {
  for (const limit of Object.keys(LIMIT_MEANINGS)) assert.ok(Object.hasOwn(LIMITS, limit), limit)
  assert.equal(Object.keys(CURES), Object.keys(DIAGNOSTIC_CODES))
  for (const [code, cure] of Object.entries(CURES)) assert.ok(cure.length > 10, `${code} has no cure`)
  assert.not.match(TABLES['values that follow']!(), 'undefined')
  assert.ok(Object.keys(VALUE_EXAMPLES).length > 5)
})

const blocks = [...TEXT.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')

test('every example is right', () => {
  assert.ok(blocks.length > 20)
  const isScenarios = (block: string): boolean => /^scenarios:/m.test(block)
  for (const text of blocks.filter(isScenarios)) {
    const { value, diagnostics } = parseDocument({ file: 'examples.test.yaml', text })
    assert.equal(diagnostics, [])
    assert.equal(checkScenarios(value!).diagnostics, [])
  }
  const isWords = (block: string): boolean => /^# resources\/\w+\.words\.yaml/.test(block)
  for (const text of blocks.filter(isWords)) {
    const { value, diagnostics } = parseDocument({ file: 'de.words.yaml', text })
    assert.equal(diagnostics, [])
    assert.equal(checkWords(value!, true).diagnostics, [])
  }
  for (const block of blocks.filter((one) => !isScenarios(one) && !isWords(one))) {
    const isApp = block.startsWith('name:')
    const text = isApp || block.startsWith('resource:') ? block : `resource: examples\n${block}`
    const wrong = diagnose(text, isApp ? 'app.yaml' : 'examples.yaml').filter(
      // The plugins of the tests are not those of the examples.
      (diagnostic) => !/"(timestamps|restore|mail|notify)"/.test(diagnostic.message),
    )
    assert.equal(wrong, [], renderDiagnostics(wrong))
  }
})

test('the examples that are whole files are an application, together with the few files that they name', async () => {
  const files = blocks.flatMap((block) => {
    const name = /^resource: (\w+)/.exec(block)?.[1]
    return name === undefined ? [] : [[`resources/${name}.yaml`, block] as const]
  })
  assert.equal(files.map(([file]) => file.replace(/^.*\//, '')).sort(), [
    'articles.yaml',
    'bookings.yaml',
    'cards.yaml',
    'customers.yaml',
    'statuses.yaml',
    'users.yaml',
  ])
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

test('the fields of each example are fields of a resource', async () => {
  const fields = blocks.filter((block) => block.startsWith('fields:\n'))
  assert.ok(fields.length > 15)
  const name = '  name: { type: string }\n'
  const files = fields.map((block, at) => {
    const remarks = /of: comments/.test(block)
      ? `relations: { comments: { has_many: remarks, by: example_${at} } }\n`
      : ''
    const text = block.replace('fields:\n', /^ {2}name:/m.test(block) ? 'fields:\n' : `fields:\n${name}`)
    return [`resources/examples_${at}.yaml`, `resource: examples_${at}\nactions: []\n${remarks}${text}`] as const
  })
  const counted = fields.flatMap((block, at) =>
    /of: comments/.test(block) ? [`example_${at}: { belongs_to: examples_${at} }`] : [],
  )
  const said = await saysAtBoot({
    'resources/app.yaml': 'name: Examples\nplugins: {}\n',
    'resources/remarks.yaml': `resource: remarks\nactions: []\nrelations: { ${counted.join(', ')} }\n`,
    ...Object.fromEntries(files),
  })
  assert.equal(said, [])
})

test.run()

/** What the program refuses with, it says in German: each sentence of the code, drawn with an example in each slot. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { readCatalog } from '../../engine/boot/boot.ts'
import { sentencesIn } from '../../engine/catalog/sentences.ts'
import { ERRORS } from '../../engine/error.ts'
import { FIELD_ERRORS } from '../../engine/field-error.ts'
import { projectFiles, readSources } from './source.ts'

const test = suite('German sentences')

/** A text of the code, in any of its quotes. */
const TEXT = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\$]|\\.|\$\{[^{}`]*\})*)`/.source
/** What a request is refused with: the sentence of an error, and that of a field behind its code. */
const REFUSED = new RegExp(
  `(?:fileRefused\\(|faults\\.push\\(|new ApiError\\(\\s*'\\w+',\\s*\\{\\s*message:|'(?:${Object.keys(FIELD_ERRORS).join('|')})',(?:\\s*error:)?)\\s*(?:${TEXT})`,
  'g',
)

/** All German sentences of the program and its plugins, those too that the desk does not use. */
const files = projectFiles()
const sentences = files
  .filter((path) => /^(engine|plugins)\/.*de\.words\.yaml$/.test(path))
  .map((path) => parse(readFileSync(path, 'utf8')).sentences ?? {})
const words = new Map([['de', { sentences: Object.assign({}, ...sentences) }]])
const { value } = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' })
const german = sentencesIn({ ...value!.catalog, words }, 'de')!

/** Whose sentences stay English. */
const ENGLISH: Readonly<Record<string, string>> = {
  'engine/migration/': 'are read by those who write the YAML',
  'engine/resolve/': 'are read by those who write the YAML',
  'plugins/scim/': 'are read by the program of a directory, whose standard is English',
}

/** What a slot may hold: a name or number, nothing, the end of a word, a sentence of its own, how one begins. */
const EXAMPLES = [
  '7',
  'Unknown field "x"',
  '',
  's',
  'is required',
  '7 characters',
  'The title parameter',
  'You do not have',
  'give',
  'users',
]

/** The sentences that are refused with in a text, as it writes them. */
function refusedIn(text: string): readonly string[] {
  return [...text.matchAll(REFUSED)]
    .map(([, plain, filled]) => (plain ?? filled ?? '').replace(/\$\{[^}]*\}/g, '$').replace(/\\(.)/g, '$1'))
    .filter((sentence) => / /.test(sentence) && /[a-z]{2}/.test(sentence))
}

/** A sentence with each example in each of its slots. */
function drawn(sentence: string): readonly string[] {
  if (!sentence.includes('$')) return [sentence]
  return EXAMPLES.flatMap((example) => drawn(sentence.replace('$', () => example)))
}

/** Words that no German sentence has: a slot took over what has no words of its own. */
const LEFT =
  /\b(?:an (?=[aeiou])|(?:a|and|be|does|has|is|must|no|not|the|that|this|which|with|without|valid|letters)\b)/

/** Whether German has words for all of it; what begins in small letters is said of a field. */
function isGerman(said: string): boolean {
  const whole = drawn(/^[a-z]/.test(said) ? `The title field ${said}` : said)
  return whole.some((one) => german(one) !== one && !LEFT.test(german(one)))
}

test('each sentence of a code has words', () => {
  const said = Object.values(ERRORS).map((kind) => ('otherwise' in kind ? kind.otherwise : kind.message))
  const missing = said
    .map((one) => one.replace('{label}', 'Task'))
    .filter((one) => !one.startsWith('{') && !isGerman(one))
  assert.equal(missing, [])
})

test('each sentence that the code refuses with has words', () => {
  const places = Object.keys(ENGLISH)
  const told = readSources(files, ['engine', 'plugins'])
    .filter(({ path }) => !path.includes('/page/'))
    .flatMap(({ path, text }) => refusedIn(text).map((said) => ({ path, said })))
  assert.ok(told.length > 100, `${told.length} sentences are found`)
  const missing = told.filter(({ said }) => !isGerman(said))
  const unexplained = missing.filter(({ path }) => !places.some((place) => path.startsWith(place)))
  assert.equal(
    unexplained.map(({ path, said }) => `${path}: ${said}`),
    [],
  )
  const idle = places.filter((place) => !missing.some(({ path }) => path.startsWith(place)))
  assert.equal(idle, [], 'an exception for nothing')
})

test.run()

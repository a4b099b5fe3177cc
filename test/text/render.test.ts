/** How complaints look to people. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Diagnostic } from '../../engine/text/diagnostic.ts'
import { columns, renderDiagnostics } from '../../engine/text/render.ts'
import { position, type Source } from '../../engine/text/source.ts'

const test = suite('renderDiagnostics')

function about(text: string, word: string, rest: Partial<Diagnostic> = {}, file = 'a.yaml'): Diagnostic {
  const source: Source = { file, text }
  const start = text.indexOf(word)
  return {
    code: 'unknown_key',
    message: `Unknown key "${word}"`,
    span: { source, start, end: start + word.length },
    ...rest,
  }
}

/** The line of the source and the carets below it, without their margin. */
function excerpt(text: string, word: string): readonly string[] {
  return renderDiagnostics([about(text, word)])
    .split('\n')
    .slice(1, 3)
    .map((line) => line.slice(line.indexOf('│') + 2))
}

test('place, severity, code, sentence, line, caret, expectation, hint and count', () => {
  const text = 'fields:\n  subject: { requred: true }\n'
  assert.snapshot(
    renderDiagnostics([
      about(text, 'requred', { expected: ['required', 'read_only'], hint: 'did you mean "required"?' }),
    ]),
    `a.yaml:2:14 error unknown_key: Unknown key "requred"
 2 │   subject: { requred: true }
   │              ^^^^^^^
    expected: required, read_only
    hint: did you mean "required"?

1 error in 1 file
`,
  )
})

test('nothing is said of no diagnostics', () => assert.is(renderDiagnostics([]), ''))

test('complaints stand in the order of files and places, whatever order they came in', () => {
  const [first, second, third] = [
    about('x: 1\ny: 2', 'x', {}, 'a.yaml'),
    about('x: 1\ny: 2', 'y', {}, 'a.yaml'),
    about('z: 1', 'z', {}, 'b.yaml'),
  ]
  const sorted = renderDiagnostics([first, second, third])
  assert.is(renderDiagnostics([third, second, first]), sorted)
  assert.equal([...sorted.matchAll(/^\S+:\d+:\d+/gm)].map(String), ['a.yaml:1:1', 'a.yaml:2:1', 'b.yaml:1:1'])
})

test('a complaint without a place comes first and has no excerpt', () => {
  const rendered = renderDiagnostics([
    about('x: 1', 'x'),
    { code: 'missing_app', message: 'There is no app.yaml', hint: 'make one' },
  ])
  assert.ok(rendered.startsWith('error missing_app: There is no app.yaml\n  hint: make one\n\na.yaml:1:1'))
})

test('of very many complaints the first ten of each kind are shown, and the others counted by kind', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => about(`${'\n'.repeat(at)}x${at}: 1`, `x${at}`))
  const some = Array.from({ length: 12 }, (_, at) => about(`y${at}: 1`, `y${at}`, { code: 'wrong_type' }, 'b.yaml'))
  const one = about('z: 1', 'z', { code: 'missing_key' }, 'c.yaml')
  const rendered = renderDiagnostics([...many, ...some, one], { allBy: 'plinth check --all' })
  const places = [...rendered.matchAll(/^(\S+):\d+:\d+ error (\w+)/gm)].map(([, file, code]) => `${file} ${code}`)
  assert.equal(places, [
    ...Array(10).fill('a.yaml unknown_key'),
    ...Array(10).fill('b.yaml wrong_type'),
    'c.yaml missing_key',
  ])
  assert.match(rendered, '\n… and 992 more: unknown_key 990, wrong_type 2\n  hint: plinth check --all shows them all\n')
  assert.match(rendered, '\n1013 errors in 3 files\n')
  const all = renderDiagnostics([...many, ...some, one], { all: true })
  assert.is(all.match(/^\S+:\d+:\d+ error/gm)?.length, 1_013)
  assert.not.match(all, '… and')
  const few = renderDiagnostics(many.slice(0, 100))
  assert.is(few.match(/^\S+:\d+:\d+ error/gm)?.length, 100)
})

test('warnings are counted apart', () => {
  const rendered = renderDiagnostics([about('x: 1', 'x', { severity: 'warning' }), about('x: 1', '1')])
  assert.match(rendered, 'a.yaml:1:1 warning unknown_key')
  assert.match(rendered, '\n1 error and 1 warning in 1 file\n')
})

test('tabs and wide characters do not move the caret', () => {
  assert.equal(excerpt('a:\t{ x: 1 }', 'x'), ['a:  { x: 1 }', '      ^'])
  assert.equal(excerpt('{ 日本: 1, x: 2 }', 'x'), ['{ 日本: 1, x: 2 }', `${' '.repeat(11)}^`])
  assert.equal(excerpt('{ "👩‍👩‍👧": 1, x: 2 }', 'x')[1]?.length, columns('{ "👩‍👩‍👧": 1, ') + 1)
  assert.equal(excerpt('{ a: 日本 }', '日本'), ['{ a: 日本 }', '     ^^^^'])
})

test('a span of several lines is marked on its first', () => {
  assert.equal(excerpt('a:\n  b: 1\n  c: 2\n', 'b: 1\n  c: 2'), ['  b: 1', '  ^^^^'])
})

test('carriage returns are not shown', () => assert.equal(excerpt('a: 1\r\nb: 2\r\n', 'b: 2'), ['b: 2', '^^^^']))

test('an empty span has one caret', () => {
  const source: Source = { file: 'a.yaml', text: 'a:\n' }
  const rendered = renderDiagnostics([{ code: 'wrong_type', message: 'm', span: { source, start: 2, end: 2 } }])
  assert.match(rendered, ' 1 │ a:\n   │   ^\n')
})

test('a long line is cut around the mistake', () => {
  const [line = '', caret = ''] = excerpt(`${'x'.repeat(500)} requred: ${'y'.repeat(500)}`, 'requred')
  assert.ok(line.length <= 100 && line.startsWith('…x') && line.endsWith('y…'), line)
  assert.is(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1), 'requred')
})

test('a long mistake is underlined to the end of what is shown', () => {
  const [line = '', caret = ''] = excerpt(`a: ${'z'.repeat(5000)}`, 'z'.repeat(5000))
  assert.ok(line.length <= 100 && caret.length <= 100, `${line.length} ${caret.length}`)
})

test('control characters of a file never reach the terminal', () => {
  const rendered = renderDiagnostics([about('a: "\u001b[31mred" x', 'x', { message: '\u001b[2J', hint: '\u202e' })])
  for (const unit of ['\u001b', '\u202e']) assert.not.ok(rendered.includes(unit))
})

test('colours are there when asked for and change nothing else', () => {
  const diagnostics = [about('x: 1', 'x', { hint: 'h', expected: ['y'] })]
  const colored = renderDiagnostics(diagnostics, { color: true })
  assert.match(colored, '\u001b[31merror\u001b[0m')
  assert.is(
    colored
      .split('\u001b')
      .map((part, index) => (index === 0 ? part : part.replace(/^\[\d+m/, '')))
      .join(''),
    renderDiagnostics(diagnostics),
  )
})

test('many expected words are cut', () => {
  const rendered = renderDiagnostics([
    about('x: 1', 'x', { expected: Array.from({ length: 24 }, (_, index) => `w${index}`) }),
  ])
  assert.match(rendered, 'w19 and 4 more')
})

test('an offset past the end is the last position', () => {
  assert.equal(position({ file: '', text: 'a\nbc' }, 99), { line: 2, column: 3 })
  assert.equal(position({ file: '', text: 'a\nbc' }, 0), { line: 1, column: 1 })
})

test.run()

/** Changes of YAML as data: each touches the lines that it is about, keeps what people wrote, and says why it cannot be made. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commentsIn, type Edit, edited, valueAt } from '../../engine/definition/edits.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { position } from '../../engine/text/source.ts'
import { drawing, drawnEdit, shippedFiles, readValue } from './drawn-edits.ts'

const edits = suite('changes of YAML as data')

function after(text: string, edit: Edit): string {
  const made = edited(text, edit, ['resource', 'label', 'fields', 'policies'])
  return 'text' in made ? made.text : `refused: ${made.refused}`
}

const NOTES = `# notes of people
resource: notes
label: Note        # one of them

fields:            # in the order of answers
  title: { type: string, max: 80 }    # shown everywhere
  text:  { type: text }               # long

  # how it is read
  kind:  { type: enum, values: [open, secret], default: open }

policies:
  view:
    - role: admin
    - { role: agent, where: { kind: open } }   # agents see what is open
`

edits('a value is written in the place of the one before, and the comment behind it keeps its column', () => {
  assert.is(
    after(NOTES, { op: 'set', path: ['fields', 'title', 'max'], value: 120 }),
    NOTES.replace('max: 80 }    # shown', 'max: 120 }   # shown'),
  )
  assert.is(
    after(NOTES, { op: 'set', path: ['label'], value: 'Remark' }),
    NOTES.replace('Note        #', 'Remark      #'),
  )
  assert.is(
    after(NOTES, { op: 'set', path: ['fields', 'text'], value: { type: 'text', required: true } }),
    NOTES.replace('{ type: text }               # long', '{ type: text, required: true } # long'),
  )
})

edits('a key that is new is added in its column, and one more item behind the last', () => {
  assert.is(
    after(NOTES, { op: 'add', path: ['fields', 'due'], value: { type: 'date' } }),
    NOTES.replace('default: open }\n', 'default: open }\n  due: { type: date }\n'),
  )
  assert.is(
    after(NOTES, { op: 'add', path: ['policies', 'view'], value: { role: 'manager' } }),
    `${NOTES}    - { role: manager }\n`,
  )
  assert.is(
    after(NOTES, { op: 'set', path: ['policies', 'view', 1, 'fields'], value: ['title'] }),
    NOTES.replace('{ kind: open } }   # agents', '{ kind: open }, fields: [title] } # agents'),
  )
})

edits('a key gets another name and keeps its value in its column', () => {
  assert.is(
    after(NOTES, { op: 'rename', path: ['fields', 'text'], value: 'body' }),
    NOTES.replace('  text:  {', '  body:  {'),
  )
  assert.is(
    after(NOTES, { op: 'rename', path: ['fields', 'text'], value: 'description' }),
    NOTES.replace('  text:  {', '  description: {'),
  )
})

edits('an entry gets another place together with the comments right above it', () => {
  const moved = after(NOTES, { op: 'move', path: ['fields', 'kind'], value: 0 })
  assert.is(
    moved,
    NOTES.replace(/\n\n {2}# how.*\n.*default: open \}\n/, '\n\n').replace(
      '  title: {',
      '  # how it is read\n  kind:  { type: enum, values: [open, secret], default: open }\n  title: {',
    ),
  )
  assert.is(
    after(NOTES, { op: 'move', path: ['fields', 'kind', 'values', 1], value: 0 }),
    NOTES.replace('[open, secret]', '[secret, open]'),
  )
})

edits('what is taken out takes its own lines with it', () => {
  assert.is(
    after(NOTES, { op: 'remove', path: ['fields', 'text'] }),
    NOTES.replace('  text:  { type: text }               # long\n', ''),
  )
})

edits('a change that makes no sense, or would lose what people wrote, is refused with a sentence', () => {
  const cases: readonly (readonly [Edit, string])[] = [
    [{ op: 'remove', path: ['fields', 'none'] }, 'there is no "fields.none"'],
    [{ op: 'rename', path: ['fields', 'text'], value: 'title' }, '"title" is there already'],
    [{ op: 'add', path: ['fields', 'text'], value: {} }, '"fields.text" is there already'],
    [{ op: 'move', path: ['fields', 'text'], value: 3 }, '"fields.text" has the places 0 to 2'],
    [{ op: 'set', path: [], value: {} }, 'the path is empty: name a key of the file'],
    [{ op: 'set', path: ['policies', 'view', 5], value: {} }, 'there is no "policies.view.5"'],
    [{ op: 'set', path: ['fields'], value: 'none' }, '"fields" is written in a way that only its text can be changed'],
  ]
  for (const [edit, said] of cases) assert.is(after(NOTES, edit), `refused: ${said}`)
  assert.match(after('a: [', { op: 'set', path: ['a'], value: 1 }), /refused: the file cannot be read/)
  assert.match(
    after('a: &x { b: 1 }\nc: *x\n', { op: 'set', path: ['a'], value: 1 }),
    /refused: "a" is written in a way/,
  )
})

/** The lines of a text that are gone, and those that are new, without what both have at the beginning and the end. */
function changedRange(
  before: string,
  now: string,
): { readonly from: number; readonly to: number; readonly added: number } {
  const [old, next] = [before.split('\n'), now.split('\n')]
  let from = 0
  while (from < old.length && old[from] === next[from]) from += 1
  let same = 0
  while (same < Math.min(old.length, next.length) - from && old.at(-1 - same) === next.at(-1 - same)) same += 1
  return { from: from + 1, to: old.length - same, added: next.length - same - from }
}

/** The lines that a change is about: those of what is at its path, or of what goes with it. */
function linesAbout(file: string, text: string, { op, path }: Edit): readonly [from: number, to: number] {
  const document = parseDocument({ file, text }).value!
  const whole = document.value as Parameters<typeof valueAt>[0]
  const lineOf = (offset: number): number => position(document.place([]).source, offset).line
  let about = path
  const count = (at: Edit['path']): number => Object.keys(valueAt(whole, at) ?? {}).length
  if (op === 'move' || valueAt(whole, path) === undefined) about = path.slice(0, -1)
  while (op === 'remove' && about.length > 1 && count(about.slice(0, -1)) === 1) about = about.slice(0, -1)
  const [key, value] = [document.place(about, 'key'), document.place(about)]
  return [lineOf(Math.min(key.start, value.start)), lineOf(Math.max(key.end, value.end)) + 1]
}

const RUNS = Number(process.env.DRAWN_EDITS ?? 300)
const FIRST = Number(process.env.DRAWN_EDITS_FROM ?? 0)

edits(
  `${RUNS} drawn changes of shipped files touch the lines that they are about, and keep every comment outside`,
  () => {
    const files = shippedFiles()
    assert.ok(files.length > 60)
    let refused = 0
    for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
      const draw = drawing(seed)
      const file = files[Math.floor(draw() * files.length)]!
      const text = readFileSync(file, 'utf8')
      const edit = drawnEdit(draw, readValue(file))
      const made = edited(text, edit, [])
      const told = `seed ${seed}: ${edit.op} ${file} ${edit.path.join('.')} ${JSON.stringify(edit.value)}`
      if ('refused' in made) {
        refused += 1
        continue
      }
      if (made.text === text) continue
      const { from, to } = changedRange(text, made.text)
      const [first, last] = linesAbout(file, text, edit)
      // The comments right above an entry go with it.
      const above = edit.op === 'move' ? 40 : 0
      assert.ok(
        from >= first - above && to <= last,
        `${told}\nchanges ${from} to ${to}, and is about ${first} to ${last}`,
      )
      if (edit.op === 'remove') {
        const lines = text.split('\n')
        const outside = [...lines.slice(0, from - 1), ...lines.slice(to)].join('\n')
        const kept = commentsIn(made.text)
        for (const comment of commentsIn(outside)) assert.ok(kept.includes(comment), `${told}\nloses ${comment}`)
      }
    }
    assert.ok(refused <= RUNS / 50, `${refused} of ${RUNS} are refused`)
  },
)

edits.run()

/** What cannot be read is one mistake in its own file: nothing that other files say of it is judged. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { catalogFrom } from '../../engine/boot/boot.ts'
import { readSources, type Sources } from '../../engine/definition/read.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import type { Source } from '../../engine/text/source.ts'

const unread = suite('what cannot be read')

/** The desk has files of every kind, which name each other. */
let files: Sources

unread.before(async () => {
  const { value } = await readSources('resources')
  assert.ok(value)
  files = value
})

/** A mistake that keeps something of a file from being read; undefined where the file has nothing of this kind. */
type Slip = (text: string, drawn: number) => string | undefined

const lines = (text: string, pattern: RegExp): readonly number[] =>
  text.split('\n').flatMap((line, at) => (pattern.test(line) ? [at] : []))

/** The text with `made` in place of the drawn line among those of the pattern, and of all that belongs to it. */
function replaced(text: string, drawn: number, pattern: RegExp, made: (key: string) => string): string | undefined {
  const found = lines(text, pattern)
  const at = found[drawn % found.length]
  if (at === undefined) return undefined
  const all = text.split('\n')
  const indent = /^ */.exec(all[at]!)![0].length
  const rest = all.slice(at + 1).findIndex((line) => line.trim() !== '' && /^ */.exec(line)![0].length <= indent)
  const end = rest === -1 ? all.length : at + 1 + rest
  return [...all.slice(0, at), made(/^ *[\w-]+/.exec(all[at]!)![0]), ...all.slice(end)].join('\n')
}

const SLIPS: Readonly<Record<string, Slip>> = {
  'a bracket that is not closed': (text) => `${text}\nx: [\n`,
  'a tab': (text, drawn) => replaced(text, drawn, /^ {2}\w/, (key) => `\t${key.trim()}: {}`),
  'a number in place of what belongs to a key': (text, drawn) =>
    replaced(text, drawn, /^(?!resource:|of:|plugins:)\w[\w-]*:/, (key) => `${key}: 5`),
  'a list in place of a map': (text, drawn) =>
    replaced(text, drawn, /^(fields|relations|policies|seeds|moves|rules|sort):/, (key) => `${key}:\n  - [[5]]`),
  'a number in place of an entry': (text, drawn) => replaced(text, drawn, /^ {2}[a-z]\w*:/, (key) => `${key}: 5`),
}

function withSlip(file: Source, slip: Slip, drawn: number): Sources | undefined {
  const text = slip(file.text, drawn)
  if (text === undefined || text === file.text) return undefined
  const changed = (one: Source): Source => (one === file ? { ...one, text } : one)
  return { ...files, app: changed(files.app), resources: files.resources.map(changed) }
}

for (const [name, slip] of Object.entries(SLIPS))
  unread(`${name} is a mistake in its own file alone`, async () => {
    const all = [files.app, ...files.resources]
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: all.length - 1 }), fc.nat({ max: 1000 }), async (at, drawn) => {
        const file = all[at]!
        const sources = withSlip(file, slip, drawn)
        fc.pre(sources !== undefined)
        const { diagnostics } = await catalogFrom({ value: sources!, diagnostics: [] }, 'plugins')
        const others = diagnostics.filter(({ span }) => span?.source.file !== file.file)
        if (others.length > 0) throw new Error(`${file.file}, ${drawn}\n${renderDiagnostics(others)}`)
      }),
      { numRuns: Number(process.env.MACHINE_RUNS ?? 8), seed: 20261126 },
    )
  })

unread.run()

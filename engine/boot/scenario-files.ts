/** ⇄ The files of scenarios of an application, and of those below it without what it leaves out or writes anew. */
import type { Document } from '../definition/definition.ts'
import { entriesOf, mapOf, within } from '../definition/document-node.ts'
import { parseDocument } from '../definition/parse.ts'
import { readScenarios } from '../definition/read.ts'
import { readScenarioFile, type ScenarioFile } from '../definition/scenario.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'
import type { Source } from '../text/source.ts'
import { foldersBelow, layersOf, readLayers } from './layers.ts'
import { leftOut } from './without.ts'

/** A file of scenarios; without a value where it has mistakes. */
export interface ReadScenarios extends Collected<Document<ScenarioFile>> {
  readonly source: Source
}

/** Every file of scenarios of an application, those of the lowest first; rejects where its folder cannot be read. */
export async function applicationScenarios(directory: string): Promise<Required<Collected<readonly ReadScenarios[]>>> {
  const { value: sources } = await readLayers(directory)
  if (sources === undefined) return scenariosIn(directory)
  const diagnostics: Diagnostic[] = []
  let value: readonly ReadScenarios[] = []
  const folders = [...[...foldersBelow(sources)].reverse(), directory]
  for (const [index, { app }] of layersOf(sources).entries()) {
    const own = await scenariosIn(folders[index]!)
    diagnostics.push(...own.diagnostics)
    const document = index === 0 ? undefined : parseDocument(app).value
    if (document !== undefined) value = value.filter(({ source }) => !isAboutGone(source, document))
    const gone = document === undefined ? [] : goneFrom(document, value, diagnostics)
    value = [...withoutScenarios(value, new Set([...gone, ...namesIn(own.value)])), ...own.value]
  }
  return { value, diagnostics }
}

async function scenariosIn(directory: string): Promise<Required<Collected<readonly ReadScenarios[]>>> {
  const { value, diagnostics } = await readScenarios(directory)
  return { value: value.map((source) => ({ source, ...readScenarioFile(source) })), diagnostics }
}

function namesIn(files: readonly ReadScenarios[]): readonly string[] {
  return files.flatMap(({ value }) => Object.keys(value?.value.scenarios ?? {}))
}

/** Whether a file is named after a resource that `without` leaves out: posts.test.yaml goes with posts. */
function isAboutGone({ file }: Source, app: Document<unknown>): boolean {
  const names = leftOut(app).flatMap(({ path }) => (path.length === 1 ? path : []))
  return names.some((name) => file.endsWith(`/${name}.test.yaml`))
}

/** The names that `without` leaves out; one that is not there is a complaint. */
function goneFrom(
  app: Document<unknown>,
  below: readonly ReadScenarios[],
  diagnostics: Diagnostic[],
): readonly string[] {
  const known = namesIn(below)
  const entries = leftOut(app).filter(({ path }) => path[0] === 'scenarios')
  return entries.map(({ path, span }) => {
    const name = path.slice(1).join('.')
    if (!known.includes(name)) {
      const message = `The application below has no scenario "${name}" that could be left out`
      diagnostics.push({ code: 'unknown_part', message, span, hint: 'take the line away', ...hintOf(name, known) })
    }
    return name
  })
}

/** The files without scenarios of these names; a file that loses all of its scenarios goes too. */
function withoutScenarios(files: readonly ReadScenarios[], names: ReadonlySet<string>): readonly ReadScenarios[] {
  return files.flatMap((file): readonly ReadScenarios[] => {
    const { value } = file
    if (value === undefined) return [file]
    const all = entriesOf(within(value, 'scenarios'))
    const kept = new Map([...all].filter(([name]) => !names.has(name)))
    if (kept.size === all.size) return [file]
    if (kept.size === 0) return []
    const scenarios = mapOf(kept, within(value, 'scenarios'))
    const document = mapOf(new Map([...entriesOf(value), ['scenarios', scenarios]]), value)
    return [{ ...file, value: document as Document<ScenarioFile> }]
  })
}

/**
 * `plinth check`: the diagnostics of the application and its scenarios, and what only a database can judge; with
 * `--data`, the records that break a rule.
 */

import { type Boot, readCatalog } from '../boot/boot.ts'
import { readLayers } from '../boot/layers.ts'
import { applicationScenarios } from '../boot/scenario-files.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { missingWords } from '../catalog/words.ts'
import { strayLine, strayValues } from '../migration/questions.ts'
import { endedNames } from '../resolve/earlier-names.ts'
import { inOrder } from '../resolve/resolve.ts'
import { computedFields } from '../run/rehearse.ts'
import { violationLine, violations } from '../run/rule-violations.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { counted } from '../text/render.ts'
import { keepLock } from './accept.ts'
import { isBegun, showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { earlierIn, withEarlier } from './upgrade/earlier.ts'
import { warningsOfCode } from './upgrade/plugin-names.ts'
import { earlierWords } from './upgrade/words.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  if (invocation.options.data === true) return checkData(invocation)
  const application = await checked(invocation)
  if (application === undefined) return 1
  const names = computedFields(application.catalog).map(({ resource, field }) => `${resource.name}.${field.name}`)
  if (names.length > 0)
    invocation.say(`Not tried without a database: the SQL of ${names.join(', ')}. \`plinth plan\` tries it.`)
  for (const line of missingLines(application.catalog, invocation.options.all === true)) invocation.say(line)
  return 0
}

/** What a note names of the missing words of a language. */
const NAMED = 10

/** A note for each language in which words are missing. */
function missingLines(catalog: Catalog, all: boolean): readonly string[] {
  return catalog.languages.slice(1).flatMap((language) => {
    const missing = missingWords(catalog, language)
    if (missing.length === 0) return []
    const shown = all ? missing : missing.slice(0, NAMED)
    const lines = shown.map(({ path, text }) => `  ${path.map(shownKey).join('.')}: ${JSON.stringify(text)}`)
    const left = missing.length - shown.length
    const more = left === 0 ? [] : [`  … and ${left} more: npx plinth check --all`]
    return [`Missing in ${language}.words.yaml, ${counted(missing.length, 'text')}:`, ...lines, ...more]
  })
}

function shownKey(key: string): string {
  return /^\w+$/.test(key) ? key : JSON.stringify(key)
}

/** The application; undefined on a mistake in it or in a scenario. All mistakes are shown. */
async function checked(invocation: Invocation): Promise<Boot | undefined> {
  const { value, diagnostics } = await readCatalog(invocation.settings)
  // The application itself has reported a folder that cannot be read.
  const { pluginsDir, resourcesDir } = invocation.settings
  const scenarios = await applicationScenarios(resourcesDir).catch(() => ({ value: [], diagnostics: [] }))
  const wrong = [...scenarios.diagnostics, ...scenarios.value.flatMap((file) => file.diagnostics)]
  const ended = value === undefined ? [] : endedNames(value.catalog, new Date().toISOString().slice(0, 10))
  const told = await withEarlierWords(resourcesDir, diagnostics)
  const names = await warningsOfCode(pluginsDir)
  const which = { all: invocation.options.all === true, allBy: 'npx plinth check --all' }
  showDiagnostics({ diagnostics: inOrder([...told, ...wrong, ...ended, ...names]) }, invocation, which)
  if (value !== undefined) await keepLock(value, invocation)
  return wrong.length > 0 ? undefined : value
}

/** The diagnostics, with what took the place of a word that an earlier version had. */
async function withEarlierWords(folder: string, diagnostics: readonly Diagnostic[]): Promise<readonly Diagnostic[]> {
  if (!diagnostics.some(({ code }) => MAY_BE_EARLIER.has(code))) return diagnostics
  const { value: sources } = await readLayers(folder)
  if (sources === undefined) return diagnostics
  return withEarlier(diagnostics, earlierIn(await earlierWords(), sources.app, sources.resources, diagnostics))
}

const MAY_BE_EARLIER: ReadonlySet<string> = new Set(['unknown_hook', 'unknown_key'])

async function checkData(invocation: Invocation): Promise<ExitCode> {
  if (!isBegun(invocation)) return 1
  return withDatabase(invocation, async (database, { catalog }) => {
    const found = await violations(catalog, database.adhoc, new Date())
    const strays = await strayValues(catalog, database.adhoc)
    const lines = [...found.map(violationLine), ...strays.map(strayLine)]
    for (const line of lines) invocation.complain(line)
    return lines.length === 0 ? 0 : 1
  })
}

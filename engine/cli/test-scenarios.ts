/**
 * Scenarios for `plinth test` ⇄: runs each by its name, shows failures at their place, and lists what none has tried.
 */
import { resolve, sep } from 'node:path'
import { type Boot, ownMakers } from '../boot/boot.ts'
import { atPart, type OwnPart } from '../boot/own-lines.ts'
import type { ReadScenarios } from '../boot/scenario-files.ts'
import type { Document } from '../definition/definition.ts'
import type { ScenarioFile } from '../definition/scenario.ts'
import { type Reusable, reusable } from '../testing/reusable.ts'
import { keyOf, type Safeguard, safeguardsOf } from '../testing/safeguard.ts'
import { noticing, type Ran, runFile } from '../testing/suite.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { placeOf } from '../text/source.ts'
import { readApplication, showDiagnostics } from './application.ts'
import type { Invocation } from './command.ts'

/**
 * Runs each file of scenarios from the state in which the application begins; returns whether all hold. With `mutate`, it
 * leaves out the clauses, guards and rules of the files one after the other; one that no scenario notices is a failure too.
 */
export async function testScenarios(
  invocation: Invocation,
  files: readonly ReadScenarios[],
  mutate?: (file: string) => boolean,
): Promise<boolean> {
  const wrong = files.flatMap(({ diagnostics }) => diagnostics)
  showDiagnostics({ diagnostics: wrong }, invocation)
  // Mistakes of the application itself are shown with their places.
  if ((await readApplication(invocation)) === undefined) return false
  const stage = await begun(invocation)
  try {
    const safeguards = safeguardsOf(stage.boot.catalog, ownFiles(stage.boot, invocation))
    const ran: Ran[] = []
    for (const { value } of files) {
      if (value !== undefined) ran.push(...(await testFile(invocation, stage, value, safeguards)))
    }
    const failures = await failuresOf(invocation, stage, ran)
    showDiagnostics({ diagnostics: failures }, invocation)
    if (wrong.length + failures.length > 0) return false
    if (mutate !== undefined) {
      const chosen = safeguards.filter(({ span }) => mutate(span.source.file))
      return await leaveOutEach(invocation, chosen, noticing(stage, ran))
    }
    tellUntried(invocation, safeguards, ran)
    return true
  } finally {
    await stage.close()
  }
}

/** The failures; that of a scenario below is at the own line with which it began. */
async function failuresOf(
  invocation: Invocation,
  { boot }: Reusable,
  ran: readonly Ran[],
): Promise<readonly Diagnostic[]> {
  const failed = ran.filter(({ diagnostics }) => diagnostics.length > 0)
  const own = resolve(invocation.settings.resourcesDir) + sep
  const isBelow = ({ file }: Ran): boolean => !resolve(file.place([]).source.file).startsWith(own)
  const below = failed.filter(isBelow)
  if (boot.files.base === undefined || below.length === 0) return failed.flatMap(({ diagnostics }) => diagnostics)
  const files = new Set(below.map(({ file }) => file))
  const maker = await ownMakers(invocation.settings, (tried) => failedNames(invocation, tried, files))
  const told: Diagnostic[] = []
  for (const one of failed) {
    const part = isBelow(one) ? await maker((names) => names.has(one.name)) : undefined
    told.push(...(part === undefined ? one.diagnostics : one.diagnostics.map((found) => atOwnLine(found, one, part))))
  }
  return told
}

/** The names of the scenarios that fail on an application. */
async function failedNames(
  invocation: Invocation,
  boot: Boot,
  files: ReadonlySet<Document<ScenarioFile>>,
): Promise<ReadonlySet<string>> {
  const stage = await begun(invocation, boot)
  try {
    const ran: Ran[] = []
    for (const file of files) ran.push(...(await runFile(stage, file, [])))
    return new Set(ran.flatMap(({ diagnostics, name }) => (diagnostics.length > 0 ? [name] : [])))
  } finally {
    await stage.close()
  }
}

function atOwnLine(diagnostic: Diagnostic, { name }: Ran, part: OwnPart): Diagnostic {
  const message = `the scenario "${name}" fails: ${diagnostic.message}`
  return {
    ...atPart({ ...diagnostic, message }, part),
    hint: `change the line, write a scenario of this name, or leave it out: without: ["scenarios.${name}"]`,
  }
}

function begun({ settings }: Invocation, boot?: Boot): Promise<Reusable> {
  const { resourcesDir, pluginsDir, env } = settings
  const { TEST_DATABASE_URL: server } = env
  const options = {
    env: { RESOURCES_DIR: resolve(resourcesDir), PLUGINS_DIR: resolve(pluginsDir) },
    ...(server ? { server } : {}),
  }
  return reusable(options, boot)
}

/** The files of the application; plugins test their own. */
function ownFiles({ sources }: Boot, { settings }: Invocation): ReadonlySet<string> {
  const own = resolve(settings.resourcesDir) + sep
  return new Set(sources.map(({ file }) => file).filter((file) => resolve(file).startsWith(own)))
}

async function testFile(
  { say }: Invocation,
  stage: Reusable,
  file: Document<ScenarioFile>,
  safeguards: readonly Safeguard[],
): Promise<readonly Ran[]> {
  say(file.place([]).source.file)
  const ran = await runFile(stage, file, safeguards)
  for (const { name, diagnostics } of ran) say(`  ${diagnostics.length === 0 ? '✔' : '✘'} ${name}`)
  return ran
}

function tellUntried({ say }: Invocation, safeguards: readonly Safeguard[], ran: readonly Ran[]): void {
  const tried = new Set(ran.flatMap(({ exercised }) => [...exercised]))
  const untried = safeguards.filter((one) => !tried.has(keyOf(one)))
  if (untried.length === 0) return
  const lines = untried.map(({ span, title }) => `  ${placeOf(span)}  ${title}`)
  say(`\nNo scenario exercises:\n${lines.join('\n')}`)
}

/** Reports for each part whether a scenario fails without it; returns whether all do. */
async function leaveOutEach(
  invocation: Invocation,
  safeguards: readonly Safeguard[],
  noticed: ReturnType<typeof noticing>,
): Promise<boolean> {
  const { say } = invocation
  const survivors: Diagnostic[] = []
  say(`\nLeaving out ${safeguards.length} parts of the files, one after the other:`)
  for (const safeguard of safeguards) {
    const { span, title } = safeguard
    const by = await noticed(safeguard)
    say(`  ${by === undefined ? '✘' : '✔'} ${placeOf(span)}  ${title}${by === undefined ? '' : ` — ${by}`}`)
    if (by === undefined) survivors.push(unnoticed(safeguard))
  }
  showDiagnostics({ diagnostics: survivors }, invocation)
  return survivors.length === 0
}

function unnoticed({ span, title }: Safeguard): Diagnostic {
  return {
    code: 'unnoticed_removal',
    message: `Every scenario still holds without ${title}`,
    span,
    hint: 'add a scenario that fails without it: somebody is let in, refused or shown less, or a value or a mail follows',
  }
}

/** ⇄ The scenarios of an application as `plinth test` runs them: each by its name, failures at their place, and what none has tried. */
import { resolve, sep } from 'node:path'
import { readCatalog } from '../boot/boot.ts'
import { parseDocument } from '../definition/parse.ts'
import { checkScenarios } from '../definition/scenario.ts'
import { unexercised } from '../testing/coverage.ts'
import { runScenarios } from '../testing/scenarios.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'
import { showDiagnostics } from './application.ts'
import type { Invocation } from './command.ts'

/** Runs each file of scenarios on a database of its own; whether all hold. */
export async function testScenarios(invocation: Invocation, sources: readonly Source[]): Promise<boolean> {
  const { say, settings } = invocation
  const read = await readCatalog(settings)
  showDiagnostics(read, invocation)
  if (read.value === undefined) return false
  const failures: Diagnostic[] = []
  const exercised = new Set<string>()
  for (const source of sources) {
    say(source.file)
    failures.push(...(await testFile(invocation, source, exercised)))
  }
  showDiagnostics({ diagnostics: failures }, invocation)
  const own = resolve(settings.resourcesDir) + sep
  const files = new Set(read.value.sources.map(({ file }) => file).filter((file) => resolve(file).startsWith(own)))
  const others = unexercised(read.value.catalog, files, exercised)
  if (others.length > 0) {
    say(`\nNo scenario was answered by these clauses of policies:\n${others.map((line) => `  ${line}`).join('\n')}`)
  }
  return failures.length === 0
}

async function testFile(
  { say, settings }: Invocation,
  source: Source,
  exercised: Set<string>,
): Promise<readonly Diagnostic[]> {
  const parsed = parseDocument(source)
  if (parsed.value === undefined || parsed.diagnostics.length > 0) return parsed.diagnostics
  const checked = checkScenarios(parsed.value)
  if (checked.value === undefined) return checked.diagnostics
  const { resourcesDir, pluginsDir, env } = settings
  const { TEST_DATABASE_URL: server } = env
  const run = await runScenarios(checked.value, {
    env: { RESOURCES_DIR: resolve(resourcesDir), PLUGINS_DIR: resolve(pluginsDir) },
    ...(server ? { server } : {}),
  })
  for (const clause of run.exercised) exercised.add(clause)
  for (const { name, diagnostics } of run.results) say(`  ${diagnostics.length === 0 ? '✔' : '✘'} ${name}`)
  return run.results.flatMap(({ diagnostics }) => diagnostics)
}

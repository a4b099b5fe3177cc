/**
 * ⇄ Runs files of scenarios, each from the application's first state; and without a safeguard, to see which scenario
 * fails.
 */

import type { Boot } from '../boot/boot.ts'
import { judgedRoutes } from '../boot/plugin-routes.ts'
import { changedCatalog } from '../catalog/without.ts'
import type { Document } from '../definition/definition.ts'
import type { ScenarioFile } from '../definition/scenario.ts'
import { sentenceOf } from '../error.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { keysOf } from './coverage.ts'
import type { Reusable } from './reusable.ts'
import { keyOf, type Safeguard } from './safeguard.ts'
import { runScenario, watchScenario } from './scenarios.ts'

/** The outcome of one scenario of a file. */
export interface Ran {
  readonly file: Document<ScenarioFile>
  readonly name: string
  /** Empty: it passed. */
  readonly diagnostics: readonly Diagnostic[]
  /** The keys of the safeguards that its requests exercised. */
  readonly exercised: ReadonlySet<string>
}

/** Runs the scenarios of a file one after the other on one database. */
export async function runFile(
  stage: Reusable,
  file: Document<ScenarioFile>,
  safeguards: readonly Safeguard[],
): Promise<readonly Ran[]> {
  const app = await stage.start()
  try {
    const ran: Ran[] = []
    for (const name of Object.keys(file.value.scenarios)) {
      const { diagnostics, exercised } = await watchScenario(app, file, name)
      ran.push({ file, name, diagnostics, exercised: keysOf(safeguards, exercised) })
    }
    return ran
  } finally {
    await app.close()
  }
}

/** What fails without a safeguard: the name of a scenario, or the start of the application; undefined: nothing. */
export type Noticed = string | undefined

/** Finds for each safeguard a scenario that fails without it; all of them pass with it. */
export function noticing(stage: Reusable, ran: readonly Ran[]): (safeguard: Safeguard) => Promise<Noticed> {
  const alone = new Map<Ran, Promise<boolean>>()
  const holdsAlone = (one: Ran): Promise<boolean> => {
    const known = alone.get(one) ?? firstFailing(stage, one.file, [one.name]).then((name) => name === undefined)
    alone.set(one, known)
    return known
  }
  return async (safeguard) => {
    const without = bootWithout(stage.boot, safeguard)
    const key = keyOf(safeguard)
    const concerned = ran.filter(({ exercised }) => exercised.has(key))
    try {
      for (const one of concerned) {
        const failing = await firstFailing(stage, one.file, [one.name], without)
        // A scenario that needs earlier ones says nothing alone.
        if (failing !== undefined && (await holdsAlone(one))) return failing
      }
      for (const file of filesOf(ran, concerned)) {
        const failing = await firstFailing(stage, file, Object.keys(file.value.scenarios), without)
        if (failing !== undefined) return failing
      }
      return undefined
    } catch (error) {
      return sentenceOf(error)
    }
  }
}

/** The files, first those with a scenario about it. */
function filesOf(ran: readonly Ran[], concerned: readonly Ran[]): ReadonlySet<Document<ScenarioFile>> {
  return new Set([...concerned, ...ran].map(({ file }) => file))
}

/** The application of the files without the safeguard; its tables are the same. */
function bootWithout(boot: Boot, { without }: Safeguard): Boot {
  const catalog = changedCatalog(boot.catalog, without)
  return { ...boot, catalog, routes: judgedRoutes(boot.composition, catalog).value }
}

async function firstFailing(
  stage: Reusable,
  file: Document<ScenarioFile>,
  names: readonly string[],
  boot?: Boot,
): Promise<string | undefined> {
  const app = await stage.start(boot)
  try {
    for (const name of names) {
      if ((await runScenario(app, file, name)).length > 0) return name
    }
    return undefined
  } finally {
    await app.close()
  }
}

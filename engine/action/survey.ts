/** What many records are, as changes left them and as they were before ⇄: one statement for all that is asked of them. */

import { SYSTEM } from '../actor.ts'
import type { Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import { targetOf } from '../catalog/target.ts'
import { wireJson } from '../field/wire.ts'
import type { Json } from '../json.ts'
import type { Compiled } from '../query/compiled.ts'
import type { SelectScope } from '../query/scope.ts'
import { compileSurvey } from '../query/survey.ts'
import type { Findings, Survey, Surveyed } from './asked.ts'
import { type Execution, runCompiled } from './execution.ts'
import { columnsOf } from './laid-over.ts'
import { pathOf } from './stream.ts'
import { wayOf } from './way.ts'

/** What is asked of records; undefined for those that are not there any more. Throws for a path that leads nowhere. */
export async function survey(
  around: Execution,
  resource: Resource,
  asked: Survey,
  records: readonly Surveyed[],
): Promise<readonly (Findings | undefined)[]> {
  const { catalog, statements } = around
  const paths = asked.values.map((path) => pathOf(catalog, resource, path))
  const ways = asked.ways.map((way) => wayOf(catalog, resource, way))
  const found = statements.get(compileAsked, { catalog, actor: SYSTEM }, resource, asked)
  const slots = {
    records: records.map(({ record }) => record),
    now: records.map(({ now = {} }) => columnsOf(resource, now)),
    before: records.map(({ before = {} }) => columnsOf(resource, before)),
  }
  const findings = new Array<Findings | undefined>(records.length).fill(undefined)
  const ends = ways.map((way) => targetOf(catalog, way.at(-1)!))
  for (const [n, ...texts] of await runCompiled({ ...around, actor: SYSTEM }, found, slots)) {
    const [holds, led, values] = [asked.conditions.length, ways.length, paths.length]
    findings[Number(n) - 1] = {
      holds: texts.slice(0, holds).map((text) => text === 't'),
      led: texts
        .slice(holds, holds + led)
        .map((text, at) => (JSON.parse(text ?? '[]') as Json[]).map((id) => idOf(ends[at]!, String(id)))),
      values: texts
        .slice(holds + led, holds + led + values)
        .map((text, at) => JSON.parse(wireJson(paths[at]!.field.type.wire, text ?? null)) as Json),
    }
  }
  return findings
}

function compileAsked(scope: SelectScope, resource: Resource, { conditions, values, ways }: Survey): Compiled {
  const { catalog } = scope
  const asked = {
    conditions,
    ways: ways.map((way) => wayOf(catalog, resource, way)),
    paths: values.map((path) => pathOf(catalog, resource, path)),
  }
  return compileSurvey(scope, resource, asked)
}

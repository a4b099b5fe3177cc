/** What a start does with each step of a plan: takes it, leaves it to a person, or refuses to serve. */
import type { MigrationPlan } from './plan.ts'
import { riskOf, type Step } from './step.ts'
import type { Standing, Table } from './table.ts'

/** The tables as an older catalog may ask for them: what a newer one has under a name is not renamed away. */
export function withoutRenames(wanted: readonly Table[]): readonly Table[] {
  return wanted.map(({ renamedFrom: _, was: __, ...table }) => ({
    ...table,
    columns: table.columns.map(({ renamedFrom: ___, was: ____, ...column }) => column),
  }))
}

/** The steps of a start, sorted: those it takes, those it leaves for a person, those it cannot do without and must not take. */
export interface Sorted {
  readonly take: readonly Step[]
  readonly leave: readonly Step[]
  readonly refuse: readonly Step[]
}

type Fate = keyof Sorted

function fateOf(step: Step, standing: Standing, alone: boolean): Fate {
  const { concern, effect } = step
  const risk = riskOf(step)
  if (effect === 'removes' || (concern.kind === 'waiting' && risk !== 'safe')) return 'leave'
  // The present name is the one of this catalog, unless an instance serves the other name.
  if (concern.kind === 'other name') return alone ? 'take' : 'refuse'
  if (standing === 'older' && effect !== 'adds') return effect === 'changes' ? 'leave' : 'refuse'
  if (risk === 'safe') return 'take'
  // Rows that an older version wrote since this catalog was served last are no reason not to serve.
  return standing === 'current' && effect === 'changes' ? 'leave' : 'refuse'
}

/** A start only adds, and changes what the newest catalog says otherwise; it never removes. `alone`: nothing else is served. */
export function sorted({ steps }: MigrationPlan, standing: Standing, alone = true): Sorted {
  const having = (fate: Fate) => steps.filter((step) => fateOf(step, standing, alone) === fate)
  return { take: having('take'), leave: having('leave'), refuse: having('refuse') }
}

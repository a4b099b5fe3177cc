/** What a start does with each step of a plan: takes it, leaves it to a person, or refuses to serve. */
import type { MigrationPlan } from './plan.ts'
import type { Step } from './step.ts'
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

function fateOf({ effect, identified, risk, waits }: Step, standing: Standing, alone: boolean): Fate {
  if (effect === 'removes' || (waits && risk !== 'safe')) return 'leave'
  // What is only called otherwise is served under the name that this catalog has, unless somebody serves the other.
  if (identified) return alone && risk === 'safe' ? 'take' : 'refuse'
  if (standing === 'older' && effect !== 'adds') return effect === 'changes' ? 'leave' : 'refuse'
  if (risk === 'safe') return 'take'
  // Rows that came since the catalog was last here, from an older version, are no reason not to serve.
  return standing === 'current' && effect === 'changes' ? 'leave' : 'refuse'
}

/** A start only adds, and changes what the newest catalog says otherwise; it never removes. `alone`: nothing else is served. */
export function sorted({ steps }: MigrationPlan, standing: Standing, alone = true): Sorted {
  const having = (fate: Fate) => steps.filter((step) => fateOf(step, standing, alone) === fate)
  return { take: having('take'), leave: having('leave'), refuse: having('refuse') }
}

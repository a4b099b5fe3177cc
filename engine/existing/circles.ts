/** Circles of references that every row needs: a database fills them in one transaction, a body can't. */
import type { Remark } from './remark.ts'
import type { ResourceForm } from './resource.ts'

interface Step {
  readonly form: ResourceForm
  readonly relation: string
}

/** Opens each circle at one relation, which is no longer required; says which. */
export function openCircles(forms: ReadonlyMap<string, ResourceForm>): readonly Remark[] {
  const byName = new Map([...forms.values()].map((form) => [form.name, form]))
  const remarks: Remark[] = []
  for (const form of forms.values()) {
    for (let circle = circleFrom(form, byName); circle !== undefined; circle = circleFrom(form, byName)) {
      const [{ form: opened, relation }] = circle
      const { required: _, ...words } = opened.relations.get(relation)!
      opened.relations.set(relation, words)
      const way = [...circle.map((step) => step.form.name), opened.name].join(' → ')
      remarks.push({
        table: opened.table.name,
        column: String(words.column ?? `${relation}_id`),
        what: `stands in a circle of references that every row needs (${way})`,
        done: 'the YAML does not require it; the database does as before',
      })
    }
  }
  return remarks
}

type Circle = readonly [Step, ...Step[]]

/** A way over required relations that comes back to where it began. */
function circleFrom(start: ResourceForm, byName: ReadonlyMap<string, ResourceForm>): Circle | undefined {
  const seen = new Set<ResourceForm>()
  const go = (form: ResourceForm, way: readonly Step[]): Circle | undefined => {
    for (const [relation, { belongs_to, required }] of form.relations) {
      const target = required === true ? byName.get(String(belongs_to)) : undefined
      if (target === undefined) continue
      const next: readonly Step[] = [...way, { form, relation }]
      if (target === start) return next as Circle
      if (seen.has(target)) continue
      seen.add(target)
      const found = go(target, next)
      if (found !== undefined) return found
    }
    return undefined
  }
  return go(start, [])
}

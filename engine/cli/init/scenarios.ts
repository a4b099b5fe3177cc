/** The scenarios of an application of a database: who may see its tables, as its files say it at first. */
import type { Adopted } from './from.ts'

/** Of each resource that its readers are administrators; what is written there next is tried by more of them. */
export function accessText({ served }: Pick<Adopted, 'served'>): string {
  const scenarios = [...served.values()].map((resource) => {
    const request = `request: GET /${resource.replaceAll('_', '-')}`
    return `  administrators alone see ${resource}:
    - { ${request}, status: 401 }
    - { as: member, ${request}, status: 403 }
    - { as: admin, ${request}, status: 200 }
`
  })
  return `# yaml-language-server: $schema=../.plinth/test.schema.json
# \`npm test\` runs these on a database of their own, whose tables test/schema.sql makes, and tells what none of them has tried.
scenarios:
${scenarios.join('\n')}`
}

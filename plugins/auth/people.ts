/** People of tests: accounts that may sign in at once, and their sessions without a password. */
import type { PeopleContribution } from '../../engine/index.ts'
import { openSession } from './session.ts'

export const people: PeopleContribution = {
  body: (name) => ({
    first_name: name,
    last_name: 'Tester',
    email: `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}@people.example`,
    email_verified: true,
    status: 'active',
    invite: false,
  }),
  headers: async (context, account) => ({
    authorization: `Bearer ${await openSession({ ...context, headers: {}, ip: '' }, account)}`,
  }),
}

/** The demo's companies, staff, customers and contacts. */
import { daysAgo, type Ids, insert, type Scene } from './ids.ts'
import { COMPANIES, type Company, FIRST_NAMES, LAST_NAMES, STAFF, type Staff } from './people.ts'

export interface Person {
  readonly id: number
  readonly first: string
  readonly email: string
  readonly company: Company | undefined
  readonly department: string | undefined
}

export interface People {
  readonly staff: readonly Person[]
  readonly customers: readonly Person[]
  /** In the order of customers: the contact of the same person, for some of them. */
  readonly contacts: readonly (number | null)[]
}

const CUSTOMERS = 60
const CONTACTS = 45

/** Inserts them all; every account has the same password hash. */
export async function fillPeople(scene: Scene, ids: Ids, hash: string): Promise<People> {
  const organizations = await insert(
    scene,
    'organizations',
    COMPANIES.map((company, index) => organization(scene, company, index)),
  )
  const account = { password_hash: hash, status: 'active', email_verified: true }
  const staff = await insert(
    scene,
    'users',
    STAFF.map((person) => ({
      first_name: person.first,
      last_name: person.last,
      email: staffEmail(person),
      phone: null,
      ...account,
      role_id: ids.roles.get(person.role),
      department_id: ids.departments.get(person.department) ?? null,
      organization_id: null,
      ...stamps(daysAgo(scene, 300)),
    })),
  )
  const guests = Array.from({ length: CUSTOMERS }, (_, index) => guest(scene, index, organizations))
  const customers = await insert(
    scene,
    'users',
    guests.map(({ row }) => ({
      ...row,
      ...account,
      role_id: ids.roles.get('customer'),
    })),
  )
  const contacts = await insert(
    scene,
    'contacts',
    guests.slice(0, CONTACTS).map(({ row }) => row),
  )
  return {
    staff: staff.map((id, index) => {
      const { department, first, last } = STAFF[index]!
      return { id, first, email: staffEmail({ first, last }), company: undefined, department }
    }),
    customers: customers.map((id, index) => {
      const { company, row } = guests[index]!
      return { id, first: row.first_name, email: row.email, company, department: undefined }
    }),
    contacts: customers.map((_, index) => contacts[index] ?? null),
  }
}

function organization(scene: Scene, company: Company, index: number) {
  return {
    name: company.name,
    email: `office@${company.domain}`,
    phone: `+1 555 01${String(10 + index)}`,
    address: `${3 + scene.random.below(90)} Market Street`,
    city: company.city,
    state: null,
    zip: String(10_000 + scene.random.below(89_999)),
    country: company.country,
    ...stamps(daysAgo(scene, 200 + scene.random.below(150))),
  }
}

/** Names repeat only after all pairs of the two lists. */
function guest(scene: Scene, index: number, organizations: readonly number[]) {
  const first = FIRST_NAMES[index % FIRST_NAMES.length]!
  const last = LAST_NAMES[(index * 7 + Math.floor(index / FIRST_NAMES.length)) % LAST_NAMES.length]!
  const at = index % COMPANIES.length
  const company = COMPANIES[at]!
  const row = {
    first_name: first,
    last_name: last,
    email: `${ascii(first)}.${ascii(last)}@${company.domain}`,
    phone: scene.random.chance(60) ? `+1 555 02${String(10 + index)}` : null,
    organization_id: organizations[at] ?? null,
    ...stamps(daysAgo(scene, 100 + scene.random.below(100))),
  }
  return { company, row }
}

/** The address of a member of the demo's staff. */
function staffEmail({ first, last }: Pick<Staff, 'first' | 'last'>): string {
  return `${ascii(first)}.${ascii(last)}@desk.example`
}

function ascii(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
}

function stamps(moment: Date) {
  return { created_at: moment, updated_at: moment }
}

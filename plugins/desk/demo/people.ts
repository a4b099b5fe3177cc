/** The people and companies of the demo, as plain data. */

export interface Staff {
  readonly first: string
  readonly last: string
  readonly role: 'manager' | 'agent'
  readonly department: string
}

export const STAFF: readonly Staff[] = [
  { first: 'Nora', last: 'Lindqvist', role: 'manager', department: 'Customer Support' },
  { first: 'Tomás', last: 'Herrera', role: 'manager', department: 'Technical Support' },
  { first: 'Grace', last: 'Okafor', role: 'agent', department: 'Customer Support' },
  { first: 'Felix', last: 'Brandt', role: 'agent', department: 'Customer Support' },
  { first: 'Mei', last: 'Tanaka', role: 'agent', department: 'Technical Support' },
  { first: 'Ravi', last: 'Menon', role: 'agent', department: 'Technical Support' },
  { first: 'Sofie', last: 'Jansen', role: 'agent', department: 'Billing' },
  { first: 'Owen', last: 'Gallagher', role: 'agent', department: 'Sales' },
]

export const FIRST_NAMES: readonly string[] = [
  'Anna',
  'Ben',
  'Carla',
  'David',
  'Elif',
  'Frank',
  'Giulia',
  'Hassan',
  'Ines',
  'Jonas',
  'Katya',
  'Leo',
  'Maya',
  'Nils',
  'Olga',
  'Pedro',
  'Quinn',
  'Rosa',
  'Samir',
  'Tess',
  'Umar',
  'Vera',
  'Will',
  'Yara',
  'Zoe',
]

export const LAST_NAMES: readonly string[] = [
  'Adler',
  'Bianchi',
  'Carter',
  'Dubois',
  'Eriksen',
  'Fischer',
  'García',
  'Haddad',
  'Ivanova',
  'Jensen',
  'Kaya',
  'Laurent',
  'Moreau',
  'Novak',
  'Ortega',
  'Petrov',
  'Quiroga',
  'Rossi',
  'Silva',
  'Tran',
  'Ueda',
  'Vogel',
  'Watson',
  'Yilmaz',
  'Zhang',
]

export interface Company {
  readonly name: string
  readonly domain: string
  readonly city: string
  readonly country: string
}

export const COMPANIES: readonly Company[] = [
  { name: 'Aurora Logistics', domain: 'aurora-logistics.example', city: 'Rotterdam', country: 'Netherlands' },
  { name: 'Brightwell Dental', domain: 'brightwell.example', city: 'Leeds', country: 'United Kingdom' },
  { name: 'Casa Verde Hotels', domain: 'casaverde.example', city: 'Valencia', country: 'Spain' },
  { name: 'Delta Print Works', domain: 'deltaprint.example', city: 'Graz', country: 'Austria' },
  { name: 'Ember Coffee Roasters', domain: 'embercoffee.example', city: 'Portland', country: 'United States' },
  { name: 'Fjord Outdoor', domain: 'fjordoutdoor.example', city: 'Bergen', country: 'Norway' },
  { name: 'Greenline Energy', domain: 'greenline.example', city: 'Hamburg', country: 'Germany' },
  { name: 'Harbor & Finch Law', domain: 'harborfinch.example', city: 'Boston', country: 'United States' },
  { name: 'Iris Eyewear', domain: 'iris-eyewear.example', city: 'Milan', country: 'Italy' },
  { name: 'Juniper Schools', domain: 'juniper-schools.example', city: 'Toronto', country: 'Canada' },
  { name: 'Kestrel Robotics', domain: 'kestrel.example', city: 'Eindhoven', country: 'Netherlands' },
  { name: 'Lumen Theatre', domain: 'lumentheatre.example', city: 'Lyon', country: 'France' },
]

/** Which IP addresses lie in the public internet; what is not known to, does not. */
import { BlockList, isIP } from 'node:net';

/** IPv4 that is private, shared, local, kept for documents or tests, or for many at once. */
const SPECIAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/**
 * The one part of IPv6 that is given out, which leaves out loopback, mapped IPv4, unique local, link-local, site-local and
 * multicast; and the prefix behind which a network translates to public IPv4.
 */
const GIVEN_OUT_V6 = ['2000::/3', '64:ff9b::/96'];
/** In these: protocols with Teredo, documents, 6to4, documents again. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const TRANSLATED = '64:ff9b::';

const special = new BlockList();
const givenOut = new BlockList();
for (const subnet of SPECIAL_V4) {
  const [network, prefix] = parted(subnet);
  special.addSubnet(network, prefix, 'ipv4');
  special.addSubnet(`${TRANSLATED}${network}`, 96 + prefix, 'ipv6');
}
for (const subnet of SPECIAL_V6) special.addSubnet(...parted(subnet), 'ipv6');
for (const subnet of GIVEN_OUT_V6) givenOut.addSubnet(...parted(subnet), 'ipv6');

function parted(subnet: string): [network: string, prefix: number] {
  const [network = '', prefix] = subnet.split('/');
  return [network, Number(prefix)];
}

/** False for what is no IP address, and for one with a zone. */
export function isPublic(address: string): boolean {
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 4) return !special.check(address, 'ipv4');
  return version === 6 && givenOut.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

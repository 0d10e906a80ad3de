// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// Expressions of a sort on an object, as far as the size of their results is concerned: members, constants, and what functions,
// operators and macros return.
var (
	texts = []string{
		"self.s", "self.u", "self.e", "'constant'", "''", "self.ls[0]", "self.lu[self.i]", "self.ll[0][1]", "self.ms['a']", "self.ms.a",
		"self.mu[self.s]", "self.lo[0].name", "self.mo.a.name", "self.mo['a'].tags[0]", "self.o.p.s", "self.o.p.lo[0].name",
		"self.s.split('/')[0]", "self.u.split('/', 2)[0]", "self.u.split('/', -1)[self.i]", "self.s.split('/')[0].split('.')[1]",
		"self.s.lowerAscii()", "self.u.trim()", "self.s.substring(1)", "self.u.substring(1, 3)", "self.s.replace('a', 'bcd')",
		"self.u.replace('', self.s)", "self.s.replace(self.e, self.u, 2)", "self.s.replace('abc', '')", "self.s.charAt(0)",
		"(self.s + 'x')", "(self.u + self.u)", "self.ls.join()", "self.ls.join(', ')", "self.lu.join(self.s)", "self.s.split('/').join('-')",
		"self.lo.map(x, x.name).join('/')", "self.s.find('[a-z]+')", "self.u.findAll('[a-z]')[0]", "self.s.findAll('a', 3)[0]",
		"(self.b ? self.s : self.e)", "(self.b ? self.s : self.u.split('/')[0])", "(self.b ? self.ls : ['constant'])[0]",
		"string(self.i)", "string(self.y)", "string(self.x)", "string(self.t)", "dyn(self.s)", "dyn(self.s.trim())",
		"['a', self.s][0]", "['a', 'constant'][self.i]", "{'a': self.s, 'b': 'constant'}['a']", "{'a': 'constant'}.a", "[['a', self.s]][0][1]",
		"(self.ls + ['a'])[0]", "(['a'] + ['constant'])[0]", "(['a'] + self.s.split('/'))[0]",
		"self.lo.filter(x, x.n > 1)[0].name", "self.ls.filter(x, x != '')[0]", "self.lo.map(x, x.name)[0]", "self.lo.map(x, x.n > 0, x.kind)[0]",
		"self.ls.map(x, x + '-')[0]", "self.s.split('/').map(x, x)[0]", "self.ls.transformList(i, v, v)[0]",
		"self.ms.transformMap(k, v, v + '!')['a']", "self.ls.transformMapEntry(i, v, {v: v})['a']", "self.ms.map(k, k)[0]",
		"self.?s.orValue('none')", "self.?s.orValue(self.u)", "self.ls[?0].value()", "self.ls.first().value()", "self.ms[?'a'].orValue('')",
		"self.?o.p.s.value()", "optional.of(self.s).value()", "self.?s.optMap(x, x + 'y').value()", "self.?s.optFlatMap(x, optional.of(x)).value()",
		"strings.quote(self.s)", "strings.quote(self.u)", "strings.quote('constant')", "'%s'.format([self.s])", "self.s.format([])",
		"self.ls.sort()[0]", "self.ls.reverse()[0]", "self.ls.distinct()[0]", "self.ls.slice(0, 2)[0]", "self.ll.flatten()[0]",
		"self.ls.sortBy(x, x.size())[0]", "self.ls.min()", "self.lu.max()", "url(self.s).getHost()", "url(self.u).getEscapedPath()",
		"string(ip(self.s))", "string(cidr(self.s))", "format.dns1123Label().validate(self.s).value()[0]", "self.xs", "self.x", "self.o.p.u",
		"type(self.s)", "(has(self.s) ? self.s : '')",
		"url(self.s).getQuery()['a'][0]", "self.lo[0].tags[1]", "self.ls[self.ls.size() - 1]", "self.ll.map(x, x[0])[0]", "self.ll.map(x, x)[0][0]",
	}
	lists = []string{
		"self.ls", "self.lu", "self.ll[0]", "self.mo.a.tags", "self.lo[0].tags", "self.lo[self.i].more", "self.o.p.lo[0].more", "['a', 'constant']",
		"[self.s, self.e]", "self.s.split('/')", "self.u.split('/', 3)", "self.u.split('/', self.i)", "self.s.findAll('a')", "self.u.findAll('a', 2)",
		"self.lo.map(x, x.name)", "self.lo.map(x, x.n > 1, x.kind)", "self.ls.filter(x, x.matches('a'))", "self.ls.map(x, x + x)",
		"self.ms.map(k, k)", "self.ms.map(k, self.ms[k])", "self.ms.filter(k, k != '')", "(self.ls + self.lu)", "(self.ls + ['a'])",
		"(self.b ? self.ls : self.lu)", "(self.b ? self.ls : ['a'])", "self.ls.sort()", "self.lu.sort()", "self.ls.reverse()", "self.ls.distinct()",
		"self.ls.slice(1, 3)", "self.lu.slice(self.i, 3)", "self.ls.slice(3, self.i)", "self.ll.flatten()", "self.ll.flatten(2)", "[['a'], self.ls].flatten()",
		"self.ls.sortBy(x, x.size())", "self.lu.sortBy(x, x)", "self.ls.transformList(i, v, v + 'x')", "self.ms.transformList(k, v, v != '', k)",
		"dyn(self.ls)", "self.?ls.orValue([])", "optional.of(self.ls).value()", "self.ls.map(x, x).map(x, x)", "self.ls.filter(x, true).filter(x, x != 'a')",
		"[?self.?s, 'a']", "[optional.of(self.s)].unwrapOpt()", "optional.unwrap([self.?s])", "self.ll.map(x, x[0])", "self.ll.filter(x, size(x) > 1)[0]",
		"url(self.s).getQuery()['a']", "[]", "self.ms.transformMap(k, v, [v])['a']", "lists.range(3).map(i, self.ls[i])",
	}
	numbers = []string{"self.li", "[1, 2]", "[self.i]", "lists.range(5)", "lists.range(self.i)", "self.ls.map(x, size(x))", "(self.li + [1])", "self.li.sort()",
		"self.li.slice(0, 2)", "self.lo.map(x, x.n)", "self.li.filter(x, x > 1)", "self.li.sortBy(x, -x)", "self.li.distinct()", "[self.li].flatten()"}
	maps = []string{"self.ms", "self.mu", "{'a': 'constant'}", "{'a': self.s, 'bc': self.u}", "{self.s: self.e}", "self.ms.transformMap(k, v, v + 'a')",
		"self.ms.transformMap(k, v, k != '', v)", "self.ls.transformMapEntry(i, v, {v: 'x'})", "(self.b ? self.ms : {'a': 'b'})", "self.?ms.orValue({})",
		"dyn(self.ms)", "url(self.u).getQuery().transformMap(k, v, v[0])", "{?'a': self.?s}", "{}"}
	others = []string{"self.y", "b'constant'", "bytes(self.s)", "bytes(self.u)", "bytes('constant')", "self.ly[0]", "(bytes(self.s) + self.y)",
		"bytes(self.s.split('/')[0])", "self.i", "self.d", "self.b", "self.t", "self.w", "self.x", "self.xs", "dyn(self.i)", "dyn(self.y)", "null",
		"url(self.s)", "url(self.u)", "url('https://a')", "ip(self.s)", "ip('10.0.0.1')", "cidr(self.s)", "cidr('10.0.0.0/8')", "cidr(self.u).ip()", "cidr(self.s).masked()",
		"quantity(self.s)", "quantity('1Gi')", "quantity(self.s).add(1)", "quantity(self.s).sub(quantity('1'))", "semver(self.s)", "semver('v1.2.3', true)",
		"format.dns1123Label()", "format.named(self.s)", "self.?s", "self.?i", "self.ls[?0]", "optional.of(self.u)", "optional.none()", "optional.ofNonZeroValue(self.s)",
		"self.?ls[?0]", "self.li.first()", "self.ls.last()", "self.?s.optMap(x, size(x))", "self.?s.or(self.?u)", "timestamp(self.s)", "duration(self.s)",
		"timestamp('2026-01-02T03:04:05Z')", "duration('1h')", "self.o", "self.lo[0]", "self.mo", "self.ll", "self.lo", "[self.y]", "type(self.i)", "string", "int", "self",
		"(self.t - self.t)", "(self.t + self.w)", "self.t.getFullYear('UTC')", "self.w.getSeconds()", "(self.i + 1)", "-self.i", "(self.d * 2.0)", "int(self.s)", "uint(self.i)",
		"double(self.u)", "size(self.u)", "self.ls.sum()", "self.li.sum()", "int(self.t)", "bool(self.s)", "(duration(self.s) + self.w)"}

	// What is done with a value of a sort; $ is the value.
	ofText = strings.Fields(`$.matches('^[a-z]+') matches($,'^a') $.size() size($) $.contains('part') $.contains($) $.startsWith('pre') $.endsWith($) $.indexOf('a')
		$.lastIndexOf('a',3) $.lowerAscii()+'x' $.replace('a','bb')+'' $.replace('ab',$)+'' $.split('/') $.split('/')[0]+'' $.split('/').all(x,x.matches('a')) $.find('a+b')+''
		$.findAll('a').size() $.substring(2)+'' $=='constant' $!=$ $<self.u $>='' $+$ [$] {'k':$} $in['a','bc'] $in[$] $inself.lu $inself.ms bytes($)+b'' string($)+''
		url($)==url($) isURL($) ip($)==ip('::1') isIP($) ip.isCanonical($) isCIDR($) cidr($).containsIP($) cidr($).containsCIDR($) cidr($).containsIP(ip($)) quantity($)==quantity($)
		isQuantity($) isSemver($) isSemver($,true) semver($).isLessThan(semver('1.0.0')) format.dns1123Label().validate($) int($) duration($) timestamp($)==self.t
		'%s'.format([$])+'' $.format([1]) strings.quote($)+'' [$].join($)+'' optional.of($)==optional.none() [$,'a'].exists(x,x==$) type($)==string`)
	ofList = strings.Fields(`$.all(x,x.matches('^[a-z]')) $.exists(x,x=='a') $.exists_one(x,x.size()>1) $.map(x,x+'b').all(y,y.contains('c')) $.filter(x,x!='b').join(',')+''
		$.map(x,x.size()>1,x)[0]+'' $[0]=='constant' $.size() size($) $==$ $!=['a'] 'a'in$ self.uin$ $+$ ($+['constant'])[0]+'' $.join(',')+'' $.sort()[0]+'' $.isSorted() $.min()+'' $.max()<'a'
		$.indexOf('a') $.lastIndexOf(self.u) $.sum() $.distinct().all(x,x!='') $.reverse().all(x,x!='') $.slice(0,2).all(x,x!='') [$].flatten().all(x,x!='') $.sortBy(x,x).all(x,x!='')
		sets.contains($,$) sets.intersects($,['a','b']) sets.equivalent(self.lu,$) $.all(i,v,v.matches('a')&&i<3) $.exists(i,v,v==self.u&&i==3) $.existsOne(i,v,v=='a') $.transformList(i,v,v+'x').all(y,y!='')
		$.transformMap(i,v,v+'x').all(k,k>1) $.transformMapEntry(i,v,{v:i}).all(k,k!='') $.first().value()+'' $[?0].orValue('')+'' $.all(x,$.exists(y,y==x)) $.map(x,x.split('/')[0])[0]+'' {'k':$}.k[0]+''
		[$,['a']][0][0]+'' $.map(x,{x:x}).all(y,y.all(k,k!='')) $.all(x,x.split('.').all(y,y.size()<3)) dyn($).all(x,x=='a') optional.of($).optMap(x,x[0]).value()+''`)
	ofNumbers = strings.Fields(`$.sum() $.min()<$.max() $.isSorted() $.indexOf(1) $.all(x,x>1) $.sort().all(x,x>1) $.distinct().sum() $[0]==1 $.map(x,x+1).sum() 1in$ $==$ sets.contains($,[1]) $.slice(1,2).sum()
		$.reverse().sum() $.sortBy(x,x).sum() $.filter(x,x>1).size() $.map(x,string(x)).join(',')+'' $.all(i,v,i==v) [$].flatten().sum() $.transformMap(i,v,v).size()`)
	ofMap = strings.Fields(`$.all(k,k.matches('a')) $.exists(k,$[k]=='a') $.map(k,$[k]).join(',')+'' $.size() $['a']+'' $.a=='constant' 'a'in$ $==$ $.all(k,v,v.matches('b')&&k!='') $.transformList(k,v,v)[0]+''
		$.transformMap(k,v,v+'x')['a']+'' $.transformMapEntry(k,v,{v:k})['a']+'' $.filter(k,k!='').join()+'' $[?'a'].orValue('')+'' $.?a.value()+'' has($.a) $.exists_one(k,k=='x') dyn($).a $.map(k,k)[0]+''`)
	ofOther = strings.Fields(`$==$ $!=$ [$] [$][0]==$ {'k':$}.k==$ [$,$].map(x,x)[0]==$ $<$ $+$ size($) string($)+'' [$].all(x,x==$) $in[$] (self.b?$:$)==$ type($)==type($) optional.of($).value()==$ [$].indexOf($) dyn($)==$
		[$].distinct()[0]==$ sets.contains([$],[$])`)
)

// Rules with places in the schema that meet: two members of one value, members of a value in loops, keys beside values.
var places = []struct{ name, expression string }{
	{"object", "self.lo.all(x, x.tags.all(y, x.more.exists(z, z == y)))"}, {"object", "self.o.p.lo.all(x, x.tags.all(y, x.more.exists(z, z == y)))"},
	{"object", "self.o.p.lo.all(x, x.tags.all(y, x.more.size() > 1))"}, {"object", "self.o.p.lo.all(x, {x.tags[0]: x.name} != {})"},
	{"object", "self.o.p.lo.all(x, x.more[x.n] == x.name)"}, {"object", "self.o.p.lo.all(i, x, x.more[i] == x.name)"}, {"object", "self.ls.all(i, v, i == 3 && v == '')"},
	{"object", "self.o.p.lo.all(i, x, i == 3)"}, {"object", "self.mo.all(k, v, k == v.name)"}, {"object", "self.mo.all(k, self.mo[k].tags.exists(t, t == k))"},
	{"object", "self.o.p.lo.map(x, x.tags)[0].map(y, y)[0] == self.o.s"}, {"object", "self.lo.filter(x, x.n > 1).all(x, x.name.matches('a') && x.kind.contains('b'))"},
	{"object", "self.lo.map(x, x.tags).all(t, t.all(u, u.startsWith('a')))"}, {"object", "self.lo.exists(x, self.o.p.lo.exists(x, x.name == ''))"},
	{"object", "oldSelf.lo.all(x, self.lo.exists(y, x.name == y.name))"}, {"object", "[self.o.p.lo, self.o.p.lo][0][0].tags.join() == ''"},
	{"object", "self.lo.sortBy(x, x.name).all(x, x.name != '')"}, {"object", "self.o.p.lo.sortBy(x, x.name)[0].name + ''"},
	{"object", "self.o.p.lo.map(x, [x.name, x.tags[0]]).all(y, y[0] != y[1])"}, {"object", "self.?o.p.lo.orValue([]).all(x, x.name != '')"},
	{"object", "self.?o.?p.?lo.optMap(l, l.all(x, x.name != '')).orValue(true)"}, {"object", "self.o.?p.lo.hasValue() && self.o.p.lo[?0].name.value() != ''"},
	{"text", "self.matches('a')"}, {"text", "self.split('/', 2)[0].matches('^[a-z0-9.-]+$')"}, {"text", "self.split('@')[0].split('/')[1].split(':')[0].matches('^[a-z]+$')"},
	{"text", "(self.split('@')[0]).matches('^([a-zA-Z0-9-]+\\\\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?$')"},
	{"text", "self.split('.').all(x, x.matches('^[a-z]$'))"}, {"text", "self.findAll('[^/]+')[1].matches('a') && oldSelf.lowerAscii().split('-')[self.size()] == ''"},
	{"text", "self.split('/').map(x, x.split('.')[0])[0].matches('a')"}, {"text", "type(self) == string"}, {"text", "self.split(',').filter(x, x != '')[0].contains('a')"},
	{"text", "self.split(',').exists(x, x.split('=')[0] == 'a' && x.split('=')[1].matches('b'))"}, {"text", "self.split(',').sort()[0] + ''"}, {"text", "self.split(',').join(';') + ''"},
	{"unbounded", "self.split('/', 2)[0].matches('a')"}, {"unbounded", "self.matches('a')"}, {"unbounded", "self.split('/').size() < 3"}, {"unbounded", "[self][0] + ''"},
	{"unbounded", "strings.quote(self) + ''"}, {"unbounded", "bytes(self) + b''"},
	{"list", "self.all(x, x.split('=')[0].matches('a'))"}, {"list", "self.map(x, x.split('='))[0][1] + ''"}, {"list", "self[0].split('/')[1].matches('a')"}, {"list", "self.all(x, self.exists_one(y, y == x))"},
	{"list", "self.map(x, x).join(',').split(',')[0].matches('a')"}, {"list", "self.map(x, x).map(x, x)[0].split('/').sum() == 1"}, {"list", "self.map(x, [x])[0].join() + ''"},
	{"list", "self.map(x, [x, x]).map(x, x.join())[0] + ''"}, {"list", "self.filter(x, x != '')[0].matches('a')"}, {"list", "self.all(i, v, v.matches('a') && i == 1)"},
	{"list", "self.map(x, x.split('/')).all(x, x.isSorted())"}, {"list", "self.map(x, [x])[0].isSorted()"}, {"list", "self.map(x, [[x]])[0][0].max() + ''"},
	{"objects", "self.all(x, x.name.split('/')[0].matches('a'))"}, {"objects", "self.map(x, x.name)[0].matches('a')"}, {"objects", "self.filter(x, x.tags.size() > 1)[0].tags.join() + ''"},
	{"objects", "self.all(x, self.exists_one(y, y.name == x.name && y.kind == x.kind))"}, {"objects", "self.map(x, x.tags)[0][0] + ''"}, {"objects", "self.all(i, x, x.tags.all(j, t, t == x.name))"},
	{"objects", "self.all(x, x.tags.all(y, x.kind.contains(y)))"}, {"objects", "self.map(x, x.tags).map(x, x[0])[0].name + ''"}, {"objects", "self.filter(x, true)[0].tags.all(t, t != '')"},
	{"map", "self.all(k, k.split('/')[0].matches('a') && self[k].matches('b'))"}, {"map", "self.all(k, v, k == v)"}, {"map", "self.map(k, self[k])[0].matches('a')"}, {"map", "self.a.split('/')[0].matches('a')"},
	{"map", "self.map(k, k)[0].matches('a')"}, {"map", "self.transformList(k, v, v)[0].matches('a')"}, {"map", "self.transformMap(k, v, v.split('/'))['a'][0].matches('a')"},
	{"object", "jsonpatch.escapeKey(self.s)"}, {"object", "base64.encode(self.y)"}, {"object", "math.abs(self.i)"}, {"object", "cel.bind(x, self.s, x)"},
	{"int", "string(self).split('')[0].matches('a')"}, {"int", "[self].map(x, string(x)).join() == ''"}, {"int", "lists.range(self).map(x, x * 2)[0] == self"}, {"int", "self in [1, 2, 3]"},
}

// each calls write with each rule of the table.
func each(write func(name, expression string)) {
	for _, place := range places {
		write(place.name, place.expression)
	}
	// The first two values meet each use, the others a share of them.
	product := func(values, uses []string, step int) {
		at := 0
		for i, value := range values {
			for j, use := range uses {
				at++
				if at%step != 0 && i > 1 && j != i%len(uses) {
					continue
				}
				use = strings.NewReplacer("$inself", "$ in self", "$in[", "$ in [", "in$", " in $").Replace(use)
				write("object", strings.ReplaceAll(use, "$", value))
			}
		}
	}
	for _, values := range [][]string{texts, lists, numbers, maps, others} {
		for _, value := range values {
			write("object", value)
		}
	}
	product(texts, ofText, 11)
	product(lists, ofList, 7)
	product(numbers, ofNumbers, 3)
	product(maps, ofMap, 2)
	product(others, ofOther, 5)
}

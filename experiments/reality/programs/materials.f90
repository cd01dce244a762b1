! Adds up properties of materials that are looked for in a text: materials rewind|table LOOKUPS.
! The text is rewound and read up to the material for each; or it is read once, into arrays.
program materials
    implicit none
    integer, parameter :: most = 10000
    character(len=16) :: mode, word, names(most), name, wanted
    real(8) :: density(most), heat(most), one, other, total
    integer :: lookups, lookup, count, status, unit, at
    integer(8) :: state
    call get_command_argument(1, mode)
    call get_command_argument(2, word)
    read (word, *) lookups
    open (newunit=unit, file='materials.txt', status='old', action='read')
    count = 0
    do
        read (unit, *, iostat=status) name, one, other
        if (status /= 0) exit
        count = count + 1
        names(count) = name
        density(count) = one
        heat(count) = other
    end do
    total = 0
    state = 12345
    do lookup = 1, lookups
        state = mod(state * 1103515245_8 + 12345_8, 2147483648_8)
        write (wanted, '(a, i5.5)') 'material-', mod(state / 64, int(count, 8))
        if (mode == 'rewind') then
            rewind (unit)
            do
                read (unit, *) name, one, other
                if (name == wanted) exit
            end do
        else
            do at = 1, count
                if (names(at) == wanted) exit
            end do
            one = density(at)
            other = heat(at)
        end if
        total = total + one * other
    end do
    close (unit)
    print '(i0, 1x, es22.15)', lookups, total
end program materials
